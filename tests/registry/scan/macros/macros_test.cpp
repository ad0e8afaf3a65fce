// Which macros lead to a registration, and which definitions a unit sees under which condition.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/macros/macros.h"

#include <gtest/gtest.h>

#include "tests/registry/scan/scanned_tree.h"

namespace opledger::scan {
namespace {

std::vector<std::string> FilesToScan(const ScannedTree& tree) {
  std::vector<std::string> paths;
  for (const int file : tree.index().FilesToScan()) paths.push_back(tree.tree().files()[file].path);
  return paths;
}

TEST(MacroIndex, FollowsWrappersToTheSink) {
  const ScannedTree tree(
      Files{{"include/a.h",
             "#define OUTER(x) INNER(x)\n#define INNER(x) REG(x)\n#define OTHER(x) x\n"
             "#define ARGUMENT(x) OTHER(REG)\n"},
            {"src/a.cc", "#include \"a.h\"\nOUTER(op);\n"},
            {"src/b.cc", "#include \"a.h\"\nOTHER(op);\n"},
            {"src/c.cc", "#define OWN(x) OUTER(x)\nOWN(op);\n#include \"a.h\"\n"}});
  EXPECT_EQ(tree.index().leading(), (NameSet{"ARGUMENT", "INNER", "OUTER", "REG"}));
  EXPECT_EQ(FilesToScan(tree), (std::vector<std::string>{"src/a.cc", "src/c.cc"}));
  EXPECT_TRUE(tree.index().LeadingIn(tree.Number("src/c.cc")).contains("OWN"));
  EXPECT_FALSE(tree.index().LeadingIn(tree.Number("src/a.cc")).contains("OWN"));
}

TEST(MacroIndex, FollowsPastedNames) {
  const ScannedTree tree(
      Files{{"include/a.h", "#define MAKE(n, x) RE##n(x)\n#define CAT(a, b) a##b\n"},
            {"src/a.cc", "#include \"a.h\"\nMAKE(G, op);\n"},
            {"src/b.cc", "#include \"a.h\"\nCAT(REGI, STER)(op);\n"}});
  EXPECT_TRUE(tree.index().leading().contains("MAKE"));
  EXPECT_TRUE(tree.index().Glues("CAT", tree.Number("src/b.cc")));
  EXPECT_FALSE(tree.index().Glues("REG", tree.Number("src/b.cc")));
}

TEST(MacroIndex, SeesDefinitionsOfIncludedHeaders) {
  const ScannedTree tree(
      Files{{"include/a.h", "#ifdef A\n#define W(x) REG(x)\n#endif\n"},
            {"include/b.h", "#define W(x) REG(b_##x)\n"},
            {"include/c.h", "#include \"b.h\"\n"},
            {"src/a.cc", "#include \"a.h\"\nW(op);\n"},
            {"src/b.cc", "#if B\n#include \"c.h\"\n#endif\n#include \"a.h\"\nW(op);\n"}});
  const MacroIndex& index = tree.index();
  const int a = tree.Number("src/a.cc");
  const int b = tree.Number("src/b.cc");
  ASSERT_EQ(index.Visible("W", a).size(), 1U);
  EXPECT_EQ(index.ConditionIn(a, index.Visible("W", a)[0]).text(), "defined(A)");
  EXPECT_TRUE(index.Reaches(b, tree.Number("include/b.h")));
  EXPECT_FALSE(index.Reaches(a, tree.Number("include/b.h")));
  const std::vector<DefinitionRef> both = index.Visible("W", b);
  ASSERT_EQ(both.size(), 2U);
  for (const DefinitionRef& ref : both) {
    const bool of_b = tree.tree().files()[ref.file].path == "include/b.h";
    EXPECT_EQ(index.ConditionIn(b, ref).text(), of_b ? "B" : "defined(A)");
  }
}

TEST(MacroIndex, JoinsTheWaysToAHeader) {
  const ScannedTree tree(
      Files{{"include/w.h", "#define W(x) REG(x)\n"},
            {"include/v.h", "#undef W\n"},
            {"include/c.h", "#if C\n#include \"w.h\"\n#endif\n"},
            {"src/a.cc",
             "#include \"v.h\"\n#if A\n#include \"w.h\"\n#endif\n#include \"c.h\"\nW(op);\n"}});
  const int unit = tree.Number("src/a.cc");
  for (const DefinitionRef& ref : tree.index().Visible("W", unit)) {
    const bool undefines = tree.index().Definition(ref).undefines;
    EXPECT_EQ(tree.index().ConditionIn(unit, ref).text(), undefines ? "" : "A || C");
  }
}

TEST(MacroIndex, ScansHeadersThatRegister) {
  const ScannedTree tree(Files{{"include/a.h", "REG(op);\n"},
                               {"include/table.h", "ROW(op)\n"},
                               {"src/a.cc", "#include \"a.h\"\n"},
                               {"src/b.cc", "#define ROW(x) REG(x);\n#include \"table.h\"\n"}});
  EXPECT_EQ(tree.index().active_headers(), std::vector<int>{tree.Number("include/a.h")});
  const int unit = tree.Number("src/b.cc");
  EXPECT_EQ(tree.index().Tables(unit, tree.index().LeadingIn(unit)),
            std::vector<int>{tree.Number("include/table.h")});
}

}  // namespace
}  // namespace opledger::scan
