// The text that a pass sees: resolved conditionals, with every byte at its original offset.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/preprocess/patch.h"

#include <gtest/gtest.h>

#include <numeric>

namespace opledger::scan {
namespace {

class PatchTest : public testing::Test {
 protected:
  std::string Patch(const std::string& text) {
    const Outline outline = MakeOutline(text, dialect_);
    std::vector<int> branches(outline.branches.size());
    std::iota(branches.begin(), branches.end(), 0);
    const auto condition = [&](int branch) { return outline.OwnCondition(branch); };
    std::string patched =
        PatchText(text, outline, {0, branches, condition, pass_, blank_includes_, pinned_, idle_});
    EXPECT_EQ(patched.size(), text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
      EXPECT_EQ(patched[at] == '\n', text[at] == '\n') << at;
    }
    return patched;
  }

  Dialect dialect_;
  Pass pass_;
  bool blank_includes_ = false;
  NameSet pinned_;
  std::vector<Range> idle_;
};

TEST_F(PatchTest, TakesTheBranchThatHolds) {
  pass_.defines = {{"B", "2"}};
  EXPECT_EQ(Patch("#ifdef A\na\n#elif B > 1\nb\n#else\nc\n#endif\n"),
            "#if    0\na\n#elif 1    \nb\n#else\nc\n#endif\n");
  EXPECT_EQ(Patch("#ifndef A\n#endif\n"), "#if     1\n#endif\n");
  EXPECT_EQ(Patch("#if(A)\n#endif\n"), "#if 0 \n#endif\n") << "#if0 is not a directive";
}

TEST_F(PatchTest, TakesOneBranchOfAGroup) {
  pass_.defines = {{"A", "1"}, {"B", "1"}};
  EXPECT_EQ(Patch("#if A\n#elif B\n#endif\n"), "#if 1\n#elif 0\n#endif\n");
}

TEST_F(PatchTest, TakesTheForcedBranch) {
  pass_.defines = {{"A", "1"}};
  pass_.forced = {{0, 1}};
  EXPECT_EQ(Patch("#if A\n#elif B\n#endif\n"), "#if 0\n#elif 1\n#endif\n");
  pass_.forced = {{7, 1}};
  EXPECT_EQ(Patch("#if A\n#elif B\n#endif\n"), "#if 1\n#elif 0\n#endif\n")
      << "the forced branch is in another file";
}

TEST_F(PatchTest, BlanksIncludesAndPinnedMacros) {
  blank_includes_ = true;
  pinned_ = {"REG"};
  EXPECT_EQ(Patch("#include \"a.h\"\n#define REG(x) \\\n  x\n#undef REG\n#define A 1\n"),
            "              \n               \\\n   \n          \n#define A 1\n");
}

TEST_F(PatchTest, LeavesNoBackslashThatContinuesALine) {
  EXPECT_EQ(Patch("#if A == '\\n'\na\n#endif\n"), "#if 0        \na\n#endif\n");
  EXPECT_EQ(Patch("#if A \\\n  || B\na\n#endif\n"), "#if 0 \\\n      \na\n#endif\n");
}

TEST_F(PatchTest, HidesIdleText) {
  idle_ = {{1, 10}, {14, 18}};
  EXPECT_EQ(Patch(";int a = 1;REGab;\ncd"), ";@/*    */;REG@  \ncd");
}

}  // namespace
}  // namespace opledger::scan
