// The folder for a session's replies is removed at the end, and no other folder is.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bench/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace opledger {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, GoesWithItsContent) {
  std::string path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    ASSERT_TRUE(fs::is_directory(path));
    std::ofstream(path + "/file") << "content";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, IsWhatItsPatternMakes) {
  const std::string pattern = "/tmp/opledger-XXXXXX";
  EXPECT_EQ("/tmp/opledger-a1b2c3", MadeFrom(pattern, "/tmp/opledger-a1b2c3"));
  for (const char* other :
       {"", "/", "/tmp", "/tmp/opledger-", "/tmp/opledger-a1b2c", "/etc/opledger-a1b2c3",
        "/tmp/opledger-a1b2c3/", "/tmp/../opledger-a1"}) {
    EXPECT_EQ("", MadeFrom(pattern, other)) << other;
  }
}

}  // namespace
}  // namespace opledger
