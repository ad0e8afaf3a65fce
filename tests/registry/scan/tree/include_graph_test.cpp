// Cycles of #includes.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/include_graph.h"

#include <gtest/gtest.h>

#include "tests/registry/scan/scanned_tree.h"

namespace opledger::scan {
namespace {

TEST(IncludeComponents, PutsCirclesTogetherAndReachedOnesFirst) {
  std::vector<SourceFile> files(6);
  files[0].includes = {1, 4};
  files[1].includes = {2};
  files[2].includes = {3};
  files[3].includes = {1};
  files[4].includes = {4};
  IncludeComponents components(files);
  EXPECT_EQ(components.count(), 4);
  const std::vector<int> of = components.Take();
  EXPECT_EQ(of[1], of[2]);
  EXPECT_EQ(of[2], of[3]);
  EXPECT_GT(of[0], of[1]);
  EXPECT_GT(of[0], of[4]);
  EXPECT_NE(of[5], of[0]);
}

std::vector<std::string> Endless(const Files& files) {
  const ScannedTree tree(files);
  std::vector<std::string> paths;
  for (const int file : EndlessIncludes(tree.tree())) {
    paths.push_back(tree.tree().files()[file].path);
  }
  return paths;
}

TEST(EndlessIncludes, FindsUnguardedCircles) {
  const std::string a = "#include \"b.h\"\n";
  const std::string b = "#include \"a.h\"\n";
  const std::vector<std::string> both = {"include/a.h", "include/b.h"};
  const std::pair<std::string, std::string> unit("src/a.cc", a);
  EXPECT_EQ(Endless({{"include/a.h", a}, {"include/b.h", b}, unit}), both);
  EXPECT_EQ(Endless({{"include/a.h", "#pragma once\n" + a}, {"include/b.h", b}, unit}),
            std::vector<std::string>());
  EXPECT_EQ(Endless({{"include/a.h", "#if X\n" + a + "#endif\n"}, {"include/b.h", b}, unit}),
            std::vector<std::string>());
  EXPECT_EQ(Endless({{"include/a.h", "#if 1\n" + a + "#endif\n"}, {"include/b.h", b}, unit}), both);
  EXPECT_EQ(Endless({{"src/a.cc", "#include \"a.cc\"\n"}}), std::vector<std::string>{"src/a.cc"});
}

}  // namespace
}  // namespace opledger::scan
