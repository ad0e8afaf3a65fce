// Which tokens mention a registering name, and how the ledger accounts for each.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/ledger/ledger.h"

#include <gtest/gtest.h>

#include "registry/scan/facts/facts.h"

namespace opledger::scan {
namespace {

using Form = Mention::Form;

class LedgerTest : public testing::Test {
 protected:
  std::vector<Mention> Find(const std::string& text, const NameSet& pieces = {},
                            const std::string& glues = "") {
    text_ = text;
    outline_ = MakeOutline(text_, Dialect());
    return FindMentions(text_, outline_, {"REG", "Class"}, pieces,
                        [&](std::string_view name) { return name == glues; });
  }

  Spot At(const std::string& word) const { return {0, static_cast<Offset>(text_.find(word))}; }

  // Returns the names that nothing accounts for.
  std::vector<std::string> Left(const std::vector<Mention>& mentions) {
    std::vector<std::string> names;
    balance_ = {};
    for (const Mention& mention : Book(mentions, 0, outline_, spots_, balance_)) {
      names.push_back(mention.name);
    }
    return names;
  }

  std::string text_;
  Outline outline_;
  Spots spots_;
  Balance balance_;
};

TEST_F(LedgerTest, FindsNamesInCodeOnly) {
  const auto found = Find(
      "// REG\n#define X REG\n#if REG\n#endif\nconst char* s = \"REG\";\nREG(a); REGX(b); "
      "x.REG;\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].offset, text_.find("REG(a)"));
  EXPECT_EQ(found[1].offset, text_.find("REG;"));
  EXPECT_EQ(found[0].form, Form::kUse);
}

TEST_F(LedgerTest, TellsFormsApart) {
  const std::pair<const char*, Form> forms[] = {{"Class a;", Form::kUse},
                                                {"class Class {", Form::kDefinition},
                                                {"struct Class : A {", Form::kDefinition},
                                                {"friend class Class;", Form::kDefinition},
                                                {"class Class final {", Form::kDefinition},
                                                {"using n::Class;", Form::kUse},
                                                {"using Class = A;", Form::kDefinition},
                                                {"Class::F();", Form::kQualifier},
                                                {"void F(const Class& a);", Form::kType},
                                                {"Class* a;", Form::kType},
                                                {"void F(Class&& a);", Form::kType},
                                                {"class A { Class a; };", Form::kUse}};
  for (const auto& [text, form] : forms) {
    const auto found = Find(text);
    ASSERT_EQ(found.size(), 1U) << text;
    EXPECT_EQ(found[0].form, form) << text;
  }
}

TEST_F(LedgerTest, FindsPiecesInGluingCallsOnly) {
  const auto found = Find("CAT(RE, (RE, G)) OTHER(RE) RE CAT(REG)", {"RE"}, "CAT");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(found[0].piece);
  EXPECT_TRUE(found[1].piece) << "in brackets inside the call";
  EXPECT_EQ(found[2].name, "REG");
  EXPECT_FALSE(found[2].piece);
}

TEST_F(LedgerTest, BooksEachMentionInOneColumn) {
  const auto found = Find(
      "REG(read); REG(declared); REG(other); REG(expanded); REG(argument); REG(kept); REG(lost);\n"
      "class Class;\nClass::F();\n#if 0\nREG(absent);\n#endif\n");
  for (auto& [word, spots] : {std::pair("REG(read)", &spots_.read),
                              {"REG(declared)", &spots_.declared},
                              {"REG(other)", &spots_.other},
                              {"REG(expanded)", &spots_.expanded},
                              {"REG(argument)", &spots_.arguments},
                              {"REG(kept)", &spots_.expanded},
                              {"REG(kept)", &spots_.unexpanded}}) {
    spots->insert(At(word));
  }
  EXPECT_EQ(Left(found), (std::vector<std::string>{"REG", "REG"}));
  EXPECT_EQ(balance_.registered, 1);
  EXPECT_EQ(balance_.definition, 2) << "declared, class";
  EXPECT_EQ(balance_.absent, 1);
  EXPECT_EQ(balance_.other, 4) << "other, expanded, argument, qualifier";
  EXPECT_EQ(balance_.incomplete, 2) << "kept, lost";
  spots_.read.insert(At("REG(absent)"));
  spots_.other.insert(At("REG(lost)"));
  EXPECT_EQ(Left(found), std::vector<std::string>{"REG"});
  EXPECT_EQ(balance_.registered, 2) << "what was read is not absent";
  EXPECT_EQ(balance_.absent, 0);
}

TEST_F(LedgerTest, BooksPlacesOfTheirFileOnly) {
  const auto found = Find("REG(a);");
  spots_.read.insert({1, At("REG(a)").second});
  EXPECT_EQ(Left(found).size(), 1U);
}

TEST_F(LedgerTest, BooksPiecesByTheCallThatGluesThem) {
  const auto found = Find("CAT(RE, G)(a); CAT(RE, G)(b);", {"RE"}, "CAT");
  ASSERT_EQ(found.size(), 2U);
  spots_.glued.insert({At("CAT(RE, G)(a)"), static_cast<Offset>(text_.find("(a)"))});
  EXPECT_EQ(Left(found), std::vector<std::string>{"RE"});
  EXPECT_EQ(balance_.registered, 1);
}

TEST_F(LedgerTest, KeepsWhatIsWanted) {
  spots_.wanted = {1, 2};
  spots_.read.insert({0, 1});
  spots_.Clear();
  EXPECT_EQ(spots_.wanted, (std::vector<Offset>{1, 2}));
  EXPECT_TRUE(spots_.read.empty());
}

TEST_F(LedgerTest, AddsColumnsUp) {
  Balance all;
  all += {1, 2, 3, 4, 5, 6, 7};
  all += {10, 20, 30, 40, 50, 60, 70};
  EXPECT_EQ(all, (Balance{11, 22, 33, 44, 55, 66, 77}));
  const std::string text = BalanceText(all);
  EXPECT_NE(text.find("all                          308"), std::string::npos) << text;
  EXPECT_NE(text.find("never compiled                33"), std::string::npos) << text;
  EXPECT_EQ(BalanceText({1, 0, 0, 0, 0, 0, 0}).find("excepted"), std::string::npos);
}

TEST_F(LedgerTest, SaysWhereAMentionStands) {
  const auto found = Find("int a;\n  REG(a);\n");
  ASSERT_EQ(found.size(), 1U);
  const Location place = PlaceOf(found[0], "src/a.cc", LineIndex(text_));
  EXPECT_EQ(place.line, 2);
  EXPECT_EQ(place.column, 3);
  EXPECT_EQ(place.end_column, 6);
  EXPECT_NE(LeftOver(place, "REG").detail.find("'REG'"), std::string::npos);
}

// Repeated facts are stored once, sorted by location.
TEST(FactsTest, NormaliseSortsAndDropsRepetitions) {
  Facts facts;
  Location first;
  first.path = "src/a.cc";
  first.line = 1;
  Location second = first;
  second.line = 2;
  facts.incomplete = {LeftOver(second, "B"), LeftOver(first, "A"), LeftOver(second, "B")};
  for (const Location& place : {second, first, second}) {
    Registration& one = facts.registrations.emplace_back();
    one.name = "op";
    one.site.location = place;
    one.site.condition = Condition::Defined("X");
  }
  facts.Normalise();
  ASSERT_EQ(facts.incomplete.size(), 2U);
  EXPECT_EQ(facts.incomplete[0].location.line, 1);
  ASSERT_EQ(facts.registrations.size(), 2U);
  EXPECT_EQ(facts.registrations[0].site.location.line, 1);
  EXPECT_EQ(facts.registrations[1].site.location.line, 2);
}

}  // namespace
}  // namespace opledger::scan
