// What is taken out of a git repository stays in its folder, whatever links it holds.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

#include "checker/git/revision_folder.h"
#include "registry/project/contained_path.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr char kRepository[] =
    "git init -q . && mkdir -p deep/deeper && echo file >deep/file && ln -s deep/file good && "
    "ln -s deep folder && ln -s ../.. deep/deeper/top && ln -s deep/deeper/top/.. above && "
    "ln -s ../.. deep/up && ln -s deep/up/x through && ln -s /etc/passwd absolute && "
    "ln -s loop loop && ln -s . here && git add . && "
    "git -c user.name=a -c user.email=a@b commit -qm x";

class GitRevisionTest : public testing::Test {
 protected:
  void SetUp() override {
    started_ = fs::current_path();
    ASSERT_TRUE(repository_.TakeTemporary(diagnostics_));
    ASSERT_TRUE(cache_.TakeTemporary(diagnostics_));
    setenv("OPLEDGER_CACHE_DIR", cache_.path().c_str(), 1);
    fs::current_path(repository_.path());
    if (std::system("git --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "git is missing";
    ASSERT_EQ(std::system(kRepository), 0);
  }
  void TearDown() override { fs::current_path(started_); }

  void ExpectContained() const {
    for (const fs::directory_entry& each : fs::recursive_directory_iterator(taken_.path())) {
      if (!each.is_symlink()) continue;
      EXPECT_TRUE(IsInside(each.path(), taken_.path())) << each.path();
    }
    std::ifstream good(fs::path(taken_.path()) / "good");
    std::string text;
    EXPECT_TRUE(std::getline(good, text) && text == "file");
    for (const char* name : {"folder/file", "here/deep/file", "deep/deeper/top/deep/file"}) {
      EXPECT_TRUE(fs::exists(fs::path(taken_.path()) / name)) << name;
    }
    for (const char* name : {"above", "deep/up", "through", "absolute"}) {
      EXPECT_FALSE(fs::exists(fs::path(taken_.path()) / name)) << name;
    }
  }

  RevisionFolder repository_;
  RevisionFolder cache_;
  RevisionFolder taken_;
  fs::path started_;
  Diagnostics diagnostics_;
};

TEST_F(GitRevisionTest, LinksOfARevisionStayInside) {
  ASSERT_TRUE(taken_.TakeRevision("HEAD", false, diagnostics_));
  ExpectContained();
}

TEST_F(GitRevisionTest, LinksOfTheIndexStayInside) {
  ASSERT_TRUE(taken_.TakeStaged(false, diagnostics_));
  ExpectContained();
}

TEST_F(GitRevisionTest, AFileThatOnlyTheTreeHoldsIsNotStaged) {
  ASSERT_EQ(std::system("echo edited >>deep/file && echo x >unknown && echo y >new && git add new"),
            0);
  ASSERT_TRUE(taken_.TakeStaged(false, diagnostics_));
  EXPECT_EQ(fs::file_size(fs::path(taken_.path()) / "deep/file"), 5U);
  EXPECT_FALSE(fs::exists(fs::path(taken_.path()) / "unknown"));
  EXPECT_TRUE(fs::exists(fs::path(taken_.path()) / "new"));
}

// The tree's scan reads the first and reports the second; so must that of what is taken out.
TEST_F(GitRevisionTest, LongFilesAreThereOrAreAsLong) {
  ASSERT_EQ(std::system("head -c 5000000 /dev/zero | tr '\\0' x >long && truncate -s 65M longer && "
                        "git add long longer && git -c user.name=a -c user.email=a@b commit -qm y"),
            0);
  RevisionFolder staged;
  ASSERT_TRUE(taken_.TakeRevision("HEAD", true, diagnostics_));
  ASSERT_TRUE(staged.TakeStaged(true, diagnostics_));
  for (const std::string& folder : {taken_.path(), staged.path()}) {
    std::ifstream in(fs::path(folder) / "long");
    std::string text;
    EXPECT_TRUE(std::getline(in, text) || !text.empty());
    EXPECT_EQ(text, std::string(5'000'000, 'x'));
    EXPECT_EQ(fs::file_size(fs::path(folder) / "longer"), std::uintmax_t{65} << 20U);
  }
}

TEST_F(GitRevisionTest, AKeptFolderIsMendedWhateverBecameOfIt) {
  ASSERT_TRUE(taken_.TakeRevision("HEAD", true, diagnostics_));
  const std::string folder = taken_.path();
  for (const char* harm :
       {"true", "echo more >>deep/file", "rm -r deep", "mkdir deep/new; echo x >deep/new/file",
        "rm good && echo x >good", "ln -sf /etc/passwd absolute", "rm -r deep; ln -s . deep",
        "rm -r * ../*.record", "head -c 99 ../*.record >x; mv x $(ls ../*.record)"}) {
    taken_ = {};
    const std::string command = "cd " + folder + " && " + harm;
    ASSERT_EQ(std::system(command.c_str()), 0);
    ASSERT_TRUE(taken_.TakeRevision("HEAD", true, diagnostics_)) << harm;
    EXPECT_EQ(taken_.path(), folder) << harm;
    ExpectContained();
    EXPECT_FALSE(fs::exists(folder + "/deep/new")) << harm;
  }
}

TEST_F(GitRevisionTest, NoTwoRunsUseOneFolder) {
  std::vector<RevisionFolder> all(6);
  std::set<std::string> paths;
  for (RevisionFolder& each : all) {
    ASSERT_TRUE(each.TakeRevision("HEAD", true, diagnostics_));
    EXPECT_TRUE(fs::exists(each.path() + "/good"));
    paths.insert(each.path());
  }
  EXPECT_EQ(paths.size(), all.size());
}

TEST_F(GitRevisionTest, AFolderIsTakenForTheNextTree) {
  ASSERT_TRUE(taken_.TakeStaged(true, diagnostics_));
  const std::string folder = taken_.path();
  taken_ = {};
  ASSERT_EQ(std::system("git mv deep/file deep/more && echo x >deep/file && git add ."), 0);
  ASSERT_TRUE(taken_.TakeStaged(true, diagnostics_));
  EXPECT_EQ(taken_.path(), folder);
  EXPECT_EQ(fs::file_size(fs::path(folder) / "deep/file"), 2U);
  EXPECT_EQ(fs::file_size(fs::path(folder) / "deep/more"), 5U);
}

}  // namespace
}  // namespace opledger
