// Normalization of paths and resolution of includes.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/tree.h"

#include <gtest/gtest.h>

#include "tests/registry/scratch_folder.h"

namespace opledger::scan {
namespace {

TEST(NormalPath, DropsRedundantParts) {
  EXPECT_EQ(NormalPath("a/./b//c/../d"), "a/b/d");
  EXPECT_EQ(NormalPath("../a/../../b"), "../../b");
  EXPECT_EQ(NormalPath("/a/../b/"), "/b");
  EXPECT_EQ(NormalPath("./"), "");
  EXPECT_EQ(NormalPath("a/.."), "");
}

class SourceTreeTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* path : {"src/a.cc", "src/near.h", "src/sub/deep.h", "include/far.h",
                             "include/near.h", "second/far.h", "second/only.h"}) {
      scratch_.Write(path, "int x;\n");
    }
  }

  std::string Resolved(SourceTree& tree, const std::string& target, bool angled) {
    Include include;
    include.target = target;
    include.angled = angled;
    int found = tree.Resolve(tree.Find("src/a.cc"), include);
    return found < 0 ? "none" : tree.files()[found].path;
  }

  ScratchFolder scratch_;
};

TEST_F(SourceTreeTest, LooksBesideTheIncluderFirst) {
  SourceTree tree(DiskSource(scratch_.Path()), {"include", "second", "missing"});
  EXPECT_EQ(tree.include_directories(), (std::vector<std::string>{"include", "second"}));
  EXPECT_EQ(Resolved(tree, "near.h", false), "src/near.h");
  EXPECT_EQ(Resolved(tree, "near.h", true), "include/near.h");
  EXPECT_EQ(Resolved(tree, "far.h", false), "include/far.h");
  EXPECT_EQ(Resolved(tree, "only.h", true), "second/only.h");
  EXPECT_EQ(Resolved(tree, "sub/deep.h", false), "src/sub/deep.h");
  EXPECT_EQ(Resolved(tree, "../second/only.h", false), "second/only.h");
  EXPECT_EQ(Resolved(tree, "sub", false), "none") << "a folder";
  EXPECT_EQ(Resolved(tree, "nowhere.h", false), "none");
}

TEST_F(SourceTreeTest, KnowsFilesByOnePath) {
  SourceTree tree(DiskSource(scratch_.Path()), {scratch_.Path() + "/include"});
  EXPECT_EQ(tree.include_directories(), std::vector<std::string>{"include"});
  EXPECT_EQ(Resolved(tree, scratch_.Path() + "/include/far.h", false), "include/far.h");
  int far = tree.Find("include/far.h");
  EXPECT_EQ(tree.Known("include/far.h"), far);
  EXPECT_EQ(tree.Known("second/far.h"), -1) << "never requested";
  EXPECT_EQ(tree.Find("nothing.h"), -1);
}

TEST_F(SourceTreeTest, ReadsRegularFilesOnly) {
  std::optional<std::string> text = ReadSource(DiskSource(scratch_.Path()), "src/a.cc");
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "int x;\n");
  EXPECT_FALSE(ReadSource(DiskSource(scratch_.Path()), "src"));
  EXPECT_FALSE(ReadSource(DiskSource(scratch_.Path()), "nothing"));
  EXPECT_FALSE(ReadSource(DiskSource(scratch_.Path()), "/dev/zero"));
}

}  // namespace
}  // namespace opledger::scan
