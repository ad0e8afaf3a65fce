// A file reads as the text that is held for it, by any path, and as itself again afterwards.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/unsaved_text.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "registry/platform/files.h"
#include "registry/platform/temporary_folder.h"

namespace opledger {
namespace {

TEST(UnsavedText, StandsForTheFile) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/a";
  Diagnostics diagnostics;
  ASSERT_TRUE(WriteFile(file, "saved", diagnostics));
  std::filesystem::create_symlink(file, folder.path() + "/link");
  const auto read = [&](const std::string& name, std::size_t most = 100) {
    Diagnostics ignored;
    return ReadFile(folder.path() + "/" + name, most, ignored).value_or("none");
  };
  HoldUnsavedTexts({{file, "typed\nlonger"}, {folder.path() + "/missing", "x"}});
  EXPECT_EQ(read("a"), "typed\nlonger");
  EXPECT_EQ(read("link"), "typed\nlonger");
  EXPECT_EQ(read("a", 8), "none");  // it is too long
  EXPECT_EQ(read("missing"), "none");
  EXPECT_EQ(UnsavedTexts().size(), 1U);
  const std::string packed = PackUnsavedTexts();
  HoldUnsavedTexts({});
  EXPECT_EQ(read("a"), "saved");
  EXPECT_TRUE(UnpackUnsavedTexts(packed));
  EXPECT_EQ(read("a"), "typed\nlonger");
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_FALSE(UnpackUnsavedTexts(std::string_view(packed).substr(0, size)));
  }
  HoldUnsavedTexts({});
}

}  // namespace
}  // namespace opledger
