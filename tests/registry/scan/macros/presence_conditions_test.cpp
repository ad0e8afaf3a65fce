// Conditions of source locations, in terms of macros at the start of the unit, after the effects of
// the preceding code and headers on macros.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/macros/presence_conditions.h"

#include <gtest/gtest.h>

#include "tests/registry/scan/scanned_tree.h"

namespace opledger::scan {
namespace {

// Returns the condition at HERE in src/a.cc.
std::string Here(Files files, const std::string& unit) {
  files.emplace_back("src/a.cc", unit);
  const ScannedTree tree(files);
  const int file = tree.Number("src/a.cc");
  const Outline& outline = tree.tree().files()[file].outline;
  const int branch = outline.BranchAt(static_cast<Offset>(unit.find("HERE")));
  return tree.index().presence().Stack(file, branch).text();
}

TEST(PresenceConditions, FollowsHeaders) {
  const std::string use = "#include \"x.h\"\n#if X\nHERE\n#endif\n";
  EXPECT_EQ(Here({}, use), "X") << "a missing header";
  EXPECT_EQ(Here({{"include/x.h", "#define X 1\n"}}, use), "");
  EXPECT_EQ(Here({{"include/x.h", "#define X 0\n"}}, use), "0");
  EXPECT_EQ(Here({{"include/x.h", "#undef X\n"}}, use), "0");
  EXPECT_EQ(Here({{"include/x.h", "#ifdef A\n#define X 1\n#else\n#define X 0\n#endif\n"}}, use),
            "defined(A)");
  EXPECT_EQ(Here({{"include/x.h", "#define X Y\n"}}, use), "Y");
}

TEST(PresenceConditions, FollowsHeadersOfHeaders) {
  EXPECT_EQ(Here({{"include/y.h", "#define X 1\n"},
                  {"include/x.h", "#ifdef B\n#include \"y.h\"\n#endif\n"}},
                 "#undef X\n#include \"x.h\"\n#ifdef X\nHERE\n#endif\n"),
            "defined(B)");
}

TEST(PresenceConditions, CountsWhatStandsBefore) {
  const Files header = {{"include/x.h", "#define X 1\n"}};
  EXPECT_EQ(Here(header, "#if X\nHERE\n#endif\n#include \"x.h\"\n"), "X");
  EXPECT_EQ(Here(header, "#include \"x.h\"\n#undef X\n#if X\nHERE\n#endif\n"), "0");
  EXPECT_EQ(Here(header, "#if A\n#include \"x.h\"\n#endif\n#if X\nHERE\n#endif\n"), "A || X");
}

TEST(PresenceConditions, LetsHeadersSeeWhatTheUnitDefines) {
  const Files header = {{"include/x.h", "#ifdef A\n#define X 1\n#endif\n"}};
  const std::string rest = "#include \"x.h\"\n#ifdef X\nHERE\n#endif\n";
  EXPECT_EQ(Here(header, "#define A\n" + rest), "");
  EXPECT_EQ(Here(header, "#undef A\n#undef X\n" + rest), "0");
}

TEST(PresenceConditions, ReadsGuardedHeadersOnce) {
  const Files header = {{"include/x.h", "#pragma once\n#define X 1\n"}};
  EXPECT_EQ(Here(header, "#include \"x.h\"\n#undef X\n#include \"x.h\"\n#ifdef X\nHERE\n#endif\n"),
            "0");
  EXPECT_EQ(Here({{"include/x.h", "#define X 1\n"}},
                 "#include \"x.h\"\n#undef X\n#include \"x.h\"\n#ifdef X\nHERE\n#endif\n"),
            "");
}

TEST(PresenceConditions, TellsBranchesOfAGroupApart) {
  const std::string unit = "#define A B\n#if A\n#elif C\nHERE\n#else\n#endif\n";
  const ScannedTree tree(Files{{"src/a.cc", unit}});
  PresenceConditions& presence = tree.index().presence();
  EXPECT_EQ(presence.Directive(0, 1).text(), "C");
  EXPECT_EQ(presence.InGroup(0, 1).text(), "!B && C");
  EXPECT_EQ(presence.PassedBy(0, 1).text(), "!B && !C");
  EXPECT_EQ(presence.InGroup(0, 2).text(), "!B && !C");
}

TEST(PresenceConditions, GivesUpOnHeadersThatCompilersRefuse) {
  Files files;
  for (int i = 0; i < 210; ++i) {
    files.emplace_back("include/h" + std::to_string(i) + ".h",
                       "#include \"h" + std::to_string(i + 1) + ".h\"\n");
  }
  files.emplace_back("include/h210.h", "#define X 1\n");
  files.emplace_back("src/a.cc", "#include \"h0.h\"\n#if X\nHERE\n#endif\n");
  const ScannedTree tree(files);
  EXPECT_TRUE(tree.index().presence().Stack(tree.Number("src/a.cc"), 0).IsTooComplex());
}

}  // namespace
}  // namespace opledger::scan
