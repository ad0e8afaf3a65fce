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

// The bytes of one blob; "refused" where the output is none of git's.
std::string Blob(const std::string& output, std::size_t piece) {
  const std::vector<TreeFile> files = {{"f", kId, false}};
  std::string blob;
  const BlobTaker taker = {[](const TreeFile&, std::uint64_t) { return true; },
                           [&](std::string_view bytes) {
                             blob += bytes;
                             return true;
                           }};
  std::vector<std::string> absent;
  BatchReader reader(files, taker, absent);
  for (std::size_t at = 0; at < output.size(); at += piece) {
    if (!reader.Take(std::string_view(output).substr(at, piece))) return "refused";
  }
  if (!absent.empty()) return "absent";
  return reader.AtEnd() ? blob : "refused";
}

TEST(BatchReader, TakesWhatIsPromisedHoweverItIsCut) {
  for (const std::size_t piece : {1, 2, 7, 1000}) {
    EXPECT_EQ(Blob(kId + " blob 3\na\nb\n", piece), "a\nb");
    EXPECT_EQ(Blob(kId + " blob 0\n\n", piece), "");
    EXPECT_EQ(Blob(kId + " missing\n", piece), "absent");
    for (const char* size : {"", "=3", "3x", "-3", "3 ", "99999999999999999999", "4"}) {
      EXPECT_EQ(Blob(kId + " blob " + std::string(size) + "\nabc\n", piece), "refused") << size;
    }
    EXPECT_EQ(Blob(kId + " blob 3" + std::string(300, ' ') + "\nabc\n", piece), "refused");
    EXPECT_EQ(Blob(kId + " tree 3\nabc\n", piece), "refused");
    EXPECT_EQ(Blob("b" + kId.substr(1) + " blob 3\nabc\n", piece), "refused");
  }
}

}  // namespace
}  // namespace opledger
