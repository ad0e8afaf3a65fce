// Where shipped files are found.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/platform.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/registry/scratch_folder.h"

namespace opledger {
namespace {

TEST(DataDirectory, FromTheProgram) {
  unsetenv("OPLEDGER_DATA_DIR");
  EXPECT_TRUE(std::filesystem::is_directory(DataDirectory() + "/dialects")) << DataDirectory();
  EXPECT_TRUE(std::filesystem::is_directory(DataDirectory() + "/lists"));
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").filename();
  EXPECT_TRUE(std::filesystem::exists(SiblingProgram(self)));
}

TEST(DataDirectory, FromTheEnvironment) {
  const ScratchFolder folder;
  folder.Write("lists/zoo/float16.json", "{}");
  folder.Write("lists/zoo/bfloat16-cpu.json", "{}");
  folder.Write("lists/zoo/notes.txt", "");
  folder.Write("lists/other/float16.json", "{}");
  setenv("OPLEDGER_DATA_DIR", folder.Path().c_str(), 1);
  EXPECT_EQ(DataDirectory(), folder.Path());
  Diagnostics diagnostics;
  EXPECT_EQ(ShippedLists("zoo", diagnostics),
            (std::vector<std::string>{folder.Path("lists/zoo/bfloat16-cpu.json"),
                                      folder.Path("lists/zoo/float16.json")}));
  for (const char* none : {"", "..", ".", "zoo/../other", "absent", "/zoo"}) {
    EXPECT_TRUE(ShippedLists(none, diagnostics).empty()) << none;
  }
  unsetenv("OPLEDGER_DATA_DIR");
}

}  // namespace
}  // namespace opledger
