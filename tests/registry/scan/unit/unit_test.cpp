// The facts of one unit: locations found through macros and headers, conditions, unaccounted uses.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit/unit.h"

#include <gtest/gtest.h>

#include "tests/registry/scan/scanned_tree.h"

namespace opledger::scan {
namespace {

Facts Scan(const ScannedTree& tree, bool exhaustive = false) {
  const UnitScanner scanner{tree.tree(), tree.index(), tree.dialect(), exhaustive};
  return scanner.Scan(tree.Number("src/a.cc"));
}

// Returns "name path:line:column condition" of each registration.
std::vector<std::string> Sites(const ScannedTree& tree, bool exhaustive = false) {
  const Facts facts = Scan(tree, exhaustive);
  for (const Incomplete& each : facts.incomplete) ADD_FAILURE() << each.detail;
  std::vector<std::string> sites;
  for (const Registration& one : facts.registrations) {
    const Location& place = one.site.location;
    sites.push_back(one.name + " " + std::string(place.path) + ":" + std::to_string(place.line) +
                    ":" + std::to_string(place.column) + " " + one.site.condition.text());
  }
  return sites;
}

using Lines = std::vector<std::string>;

TEST(UnitScanner, FindsWhereANameIsWritten) {
  EXPECT_EQ(Sites(ScannedTree(Files{{"src/a.cc", "REG(plain);\n  REG( spaced ) ;\n"}})),
            (Lines{"plain src/a.cc:1:5 ", "spaced src/a.cc:2:8 "}));
  EXPECT_EQ(Sites(ScannedTree(Files{{"src/a.cc", "REG(all_headers);\n"}}), true),
            Lines{"all_headers src/a.cc:1:5 "});
  EXPECT_EQ(Sites(ScannedTree(Files{{"include/w.h", "#define WRAP(x) REG(x)\n"},
                                    {"src/a.cc", "#include \"w.h\"\nint a; WRAP(wrapped);\n"}})),
            Lines{"wrapped src/a.cc:2:13 "});
  EXPECT_EQ(Sites(ScannedTree(Files{{"src/a.cc", "#define BODY REG(fixed)\nBODY;\n"}})),
            Lines{"fixed src/a.cc:2:1 "});
  EXPECT_EQ(Sites(ScannedTree(Files{{"src/a.cc", "#define W(x) REG(pre_##x)\nW(fix);\n"}})),
            Lines{"pre_fix src/a.cc:2:1 "});
}

TEST(UnitScanner, FindsConditions) {
  EXPECT_EQ(Sites(ScannedTree(Files{{"src/a.cc",
                                     "#if A\nREG(a);\n#elif B\nREG(b);\n#else\nREG(c);\n#endif\n"
                                     "#if 0\nREG(never);\n#endif\n"}})),
            (Lines{"a src/a.cc:2:5 A", "b src/a.cc:4:5 !A && B", "c src/a.cc:6:5 !A && !B"}));
  EXPECT_EQ(Sites(ScannedTree(Files{{"src/a.cc",
                                     "#ifdef C\n#define W(x) REG(x)\n#else\n#define W(x) "
                                     "REG(x##_plain)\n#endif\nW(op);\n"}})),
            (Lines{"op src/a.cc:6:3 defined(C)", "op_plain src/a.cc:6:1 !defined(C)"}));
  EXPECT_EQ(
      Sites(ScannedTree(Files{{"include/c.h", "#define HAVE 1\n"},
                              {"src/a.cc", "#include \"c.h\"\n#if HAVE\nREG(op);\n#endif\n"}})),
      Lines{"op src/a.cc:3:5 "});
}

TEST(UnitScanner, BooksWhatItCannotFollow) {
  const Facts facts = Scan(ScannedTree(Files{{"src/a.cc", "REG(fine);\nREG;\nREG(1 + 1);\n"}}));
  ASSERT_EQ(facts.registrations.size(), 1U);
  ASSERT_EQ(facts.incomplete.size(), 2U);
  EXPECT_EQ(facts.incomplete[0].location.line, 2);
  EXPECT_EQ(facts.incomplete[1].location.line, 3);
  EXPECT_EQ(facts.balance.registered, 3) << "all were read, two of them without result";
}

TEST(UnitScanner, ReadsChains) {
  const Facts facts = Scan(ScannedTree(
      Files{{"src/a.cc", "REG(op).also(\"other\")\n#ifdef X\n.also(\"third\")\n#endif\n;\n"}},
      R"(, "chain": [{"method": "also", "field": "alias"}])"));
  ASSERT_EQ(facts.registrations.size(), 1U);
  const std::vector<Alias>& aliases = facts.registrations[0].aliases;
  ASSERT_EQ(aliases.size(), 2U);
  EXPECT_EQ(aliases[0].name, "other");
  EXPECT_EQ(aliases[0].condition.text(), "");
  EXPECT_EQ(aliases[1].name, "third");
  EXPECT_EQ(aliases[1].condition.text(), "defined(X)");
}

TEST(UnitScanner, BooksConditionsThatAreTooComplex) {
  std::string deep = "A";
  for (int i = 0; i < 210; ++i) deep = "A + (" + deep + ")";
  const Facts of_site =
      Scan(ScannedTree(Files{{"src/a.cc", "#if " + deep + "\nREG(op);\n#endif\nREG(other);\n"}}));
  ASSERT_EQ(of_site.incomplete.size(), 1U);
  EXPECT_EQ(of_site.incomplete[0].location.line, 2);
  const Facts of_alias = Scan(
      ScannedTree(Files{{"src/a.cc", "REG(op)\n#if " + deep + "\n.also(\"other\")\n#endif\n;\n"}},
                  R"(, "chain": [{"method": "also", "field": "alias"}])"));
  ASSERT_EQ(of_alias.incomplete.size(), 1U);
  EXPECT_EQ(of_alias.incomplete[0].location.line, 1);
}

}  // namespace
}  // namespace opledger::scan
