// What git prints is taken as it says, or not at all.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/git_output.h"

#include <gtest/gtest.h>

namespace opledger {
namespace {

const std::string kId(40, 'a');

std::vector<std::string> Paths(const std::string& listing, bool is_index) {
  std::vector<std::string> paths;
  for (const TreeFile& file : ParseListing(listing, is_index)) paths.push_back(file.path);
  return paths;
}

TEST(ParseListing, LeavesOutWhatIsNoFileBelow) {
  const std::string nul(1, '\0');
  const std::string tree = "100644 blob " + kId + "\tz\n" + nul + "120000 blob " + kId + "\ta" +
                           nul + "160000 commit " + kId + "\tsub" + nul + "100644 blob " + kId +
                           "\t../x" + nul + "100644 blob\t" + nul + "\t" + nul;
  EXPECT_EQ(Paths(tree, false), (std::vector<std::string>{"a", "z\n"}));
  const std::string index = "100644 " + kId + " 0\tb" + nul + "100644 " + kId + " 2\tc" + nul;
  EXPECT_EQ(Paths(index, true), std::vector<std::string>{"b"});
  const std::vector<Submodule> submodules = ParseSubmodules(tree, false);
  ASSERT_EQ(submodules.size(), 1U);
  EXPECT_EQ(submodules[0].path + ' ' + submodules[0].commit, "sub " + kId);
  EXPECT_TRUE(ParseSubmodules(index, true).empty());
}

}  // namespace
}  // namespace opledger
