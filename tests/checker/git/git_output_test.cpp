// Output of git is parsed exactly or rejected.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/git_output.h"

#include <gtest/gtest.h>

namespace opledger {
namespace {

const std::string kId(40, 'a');

GitListing Read(const std::string& records, bool is_index) {
  ListingReader reader(is_index);
  for (std::size_t begin = 0; begin < records.size();) {
    const std::size_t end = records.find('\0', begin);
    reader.Add(std::string_view(records).substr(begin, end - begin));
    begin = end + 1;
  }
  return reader.Take();
}

std::vector<std::string> Paths(const std::string& records, bool is_index) {
  std::vector<std::string> paths;
  for (const TreeFile& file : Read(records, is_index).files) paths.push_back(file.path);
  return paths;
}

TEST(ListingReader, ListsOnlyFilesBelow) {
  const std::string nul(1, '\0');
  const std::string tree = "100644 blob " + kId + "\tz\n" + nul + "120000 blob " + kId + "\ta" +
                           nul + "160000 commit " + kId + "\tsub" + nul + "100644 blob " + kId +
                           "\t../x" + nul + "100644 blob\t" + nul + "\t" + nul;
  EXPECT_EQ(Paths(tree, false), (std::vector<std::string>{"a", "z\n"}));
  const std::string index = "100644 " + kId + " 0\tb" + nul + "100644 " + kId + " 2\tc" + nul;
  EXPECT_EQ(Paths(index, true), std::vector<std::string>{"b"});
  const std::vector<Submodule> submodules = Read(tree, false).submodules;
  ASSERT_EQ(submodules.size(), 1U);
  EXPECT_EQ(submodules[0].path + ' ' + submodules[0].commit, "sub " + kId);
  EXPECT_TRUE(Read(index, true).submodules.empty());
}

}  // namespace
}  // namespace opledger
