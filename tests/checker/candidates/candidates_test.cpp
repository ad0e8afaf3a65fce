// Suggested policies: the features of an operator, their weights, and the reasons shown.
// SPDX-License-Identifier: Apache-2.0
#include "checker/candidates/candidates.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "checker/candidates/name_words.h"
#include "checker/candidates/rank.h"
#include "tests/checker/check_fixture.h"

namespace opledger {
namespace {

using Words = std::set<std::string>;

std::set<std::string> ClueTexts(const Operator& op) {
  std::set<std::string> texts;
  for (const Feature& feature : ReadFeatures(op)) {
    texts.insert(std::string(FeatureKindName(feature.kind)) + ' ' + feature.value);
  }
  return texts;
}

TEST(NameWords, AreSplitAtCaseAndNonLetters) {
  EXPECT_EQ(NameWords("_npx_BatchNormV2"), (Words{"npx", "batch", "norm"}));
  EXPECT_EQ(NameWords("LSTMCell"), (Words{"lstm", "cell"}));
  EXPECT_EQ(NameWords("aten::log1p_.out"), (Words{"aten", "log", "out"}));
  EXPECT_EQ(NameWords("_2_x"), Words());
  EXPECT_EQ(NameWords(std::string(1 << 20, 'a')).begin()->size(), 200U);
}

TEST(Features, ReadsEveryFrameworksFields) {
  Operator op = WithField(MakeOperator("exp_log"), "num_inputs", "", "2");
  op = WithField(WithField(op, "arguments", "Lhs", "NDArray"), "gradient", "", "ElemwiseGrad{x}");
  op = WithField(WithField(op, "type_inference", "", "Same<2, 1>"), "parameters", "axis", "");
  op = WithField(op, "mutated_inputs", "", "{0}");
  EXPECT_EQ(ClueTexts(op),
            (Words{"word exp", "word log", "inputs 2", "input-name lhs", "attribute axis",
                   "type-inference Same<2, 1>", "gradient ElemwiseGrad", "mutates yes", "macro ",
                   "file src/exp_log.cc"}));
  Operator written = WithField(MakeOperator("aa"), "inputs", "", "x: T");
  written = WithField(WithField(written, "inputs", "", "y: T"), "dtypes", "T", "float32, int8");
  EXPECT_EQ(ClueTexts(written),
            (Words{"word aa", "inputs 2", "input-name x", "input-name y", "dtypes float32",
                   "gradient none", "macro ", "file src/aa.cc"}));
  Operator mixed = WithField(MakeOperator("aa"), "inputs", "self", "Tensor(a!)");
  mixed = WithField(mixed, "inputs", "dim", "int");
  EXPECT_EQ(ClueTexts(mixed), (Words{"word aa", "inputs 1", "input-name self", "attribute dim",
                                     "gradient none", "macro ", "file src/aa.cc"}));
}

TEST(Features, PoliciesOfTheSourceAreNotFeatures) {
  const Operator op = WithField(MakeOperator("aa"), "policy", "cuda", "fp32");
  EXPECT_EQ(ClueTexts(op), ClueTexts(MakeOperator("aa")));
}

// Two words, each of one policy, and weights that use words only.
class RankingTest : public testing::Test {
 protected:
  RankingTest() {
    const auto add = [this](const char* name, Policy policy) {
      operators_.push_back(std::make_unique<Operator>(MakeOperator(name)));
      classified_.push_back({operators_.back().get(), policy});
    };
    for (const char* name : {"exp_one", "exp_two", "exp_three"}) add(name, Policy::kFp32);
    for (const char* name : {"add_one", "add_two", "add_three"}) add(name, Policy::kWidest);
    priors_.weights[static_cast<std::size_t>(FeatureKind::kWord)] = 1;
    priors_.operators = {10, 10, 10, 10, 10};
  }

  std::vector<Candidate> Rank(const std::string& name,
                              int without = ClassifiedList::kNobody) const {
    const ClassifiedList list(classified_);
    const std::vector<Feature> features = ReadFeatures(MakeOperator(name));
    return RankPolicies(
        ReadTerms(features, FindNeighbours(name, features, list, without), list, priors_, without),
        list, priors_);
  }

  std::vector<std::unique_ptr<Operator>> operators_;
  std::vector<ClassifiedOperator> classified_;
  PolicyPriors priors_;
};

TEST_F(RankingTest, FollowsThoseThatShareAClue) {
  const std::vector<Candidate> candidates = Rank("exp_four");
  ASSERT_EQ(candidates.size(), 5U);
  EXPECT_EQ(candidates[0].policy, Policy::kFp32);
  ASSERT_FALSE(candidates[0].support.empty());
  EXPECT_EQ(candidates[0].support[0].text, "3 of 3 operators with 'exp' in their names");
  EXPECT_EQ(Rank("add_four")[0].policy, Policy::kWidest);
  double all = 0;
  for (const Candidate& each : candidates) all += each.probability;
  EXPECT_NEAR(all, 1, 1e-9);
}

TEST_F(RankingTest, AsksOtherListsWhereThisOneKnowsNothing) {
  EXPECT_EQ(Rank("conv_four")[0].probability, Rank("conv_four")[4].probability);
  priors_.features[{FeatureKind::kWord, "conv"}] = {9, 1, 0, 0, 0};
  const Candidate best = Rank("conv_four")[0];
  EXPECT_EQ(best.policy, Policy::kTarget);
  ASSERT_FALSE(best.support.empty());
  EXPECT_EQ(best.support[0].text, "in shipped lists, 9 of 10 operators with 'conv' in their names");
}

TEST_F(RankingTest, AnOperatorDoesNotSpeakForItself) {
  classified_ = {{operators_[0].get(), Policy::kFp32}, {operators_[4].get(), Policy::kWidest}};
  EXPECT_EQ(Rank("exp_one", 0)[0].probability, Rank("exp_one", 0)[4].probability);
}

TEST(PolicyPriors, ReadWhatWasWritten) {
  PolicyPriors priors;
  priors.weights[3] = 0.25;
  priors.operators = {1, 2, 3.5, 0, 4};
  priors.features[{FeatureKind::kWord, "exp"}] = {0, 2, 0, 0, 0.25};
  priors.features[{FeatureKind::kWord, "once"}] = {0, 1, 0, 0, 0};
  Diagnostics diagnostics;
  const auto read = ParsePolicyPriors("priors.json", WritePolicyPriors(priors), diagnostics);
  ASSERT_TRUE(read) << RenderDiagnostics(diagnostics);
  EXPECT_EQ(read->weights, priors.weights);
  EXPECT_EQ(read->operators, priors.operators);
  priors.features.erase({FeatureKind::kWord, "once"});  // too rare to keep
  EXPECT_EQ(read->features, priors.features);
  EXPECT_TRUE(ReadPolicyPriors(diagnostics)) << RenderDiagnostics(diagnostics);
}

TEST(PolicyPriors, OtherVersions) {
  for (const auto& [version, hint] : {std::pair{"2", "use a newer opledger"},
                                      std::pair{"0", "recreate the file with this opledger"}}) {
    std::string text = WritePolicyPriors({});
    text.replace(text.find("priors/1") + 7, 1, version);
    Diagnostics diagnostics;
    EXPECT_FALSE(ParsePolicyPriors("priors.json", text, diagnostics));
    ASSERT_EQ(diagnostics.all().size(), 1u);
    EXPECT_TRUE(diagnostics.all()[0].hint.starts_with(hint)) << diagnostics.all()[0].hint;
  }
}

TEST(PolicyPriors, RefuseOtherFiles) {
  const std::string whole = WritePolicyPriors({});
  const auto replaced = [&whole](const std::string& what, const std::string& by) {
    std::string text = whole;
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
  };
  for (const std::string& text :
       {std::string("{}"), std::string("[]"), replaced("priors/1", "priors/2"),
        replaced("\"word\": 0", "\"word\": -1"), replaced("\"word\": 0", "\"word\": 1e300"),
        replaced("\"word\": 0,", ""), replaced("\"fp32\"", "\"fp64\""),
        replaced("[0,0,0,0,0]", "[0,0,0,0]"), replaced("[0,0,0,0,0]", "[0,0,0,0,\"0\"]"),
        replaced("\"clues\": []",
                 "\"clues\": [{\"clue\": \"colour\", \"value\": \"red\", "
                 "\"operators\": [0,0,0,0,0]}]")}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(ParsePolicyPriors("priors.json", text, diagnostics)) << text;
    EXPECT_TRUE(diagnostics.has_errors()) << text;
  }
}

TEST(AddCandidates, NamesTheSiblingAndWhatIsKnown) {
  Operator op = WithField(MakeOperator("quantized_add"), "num_inputs", "", "2");
  op = WithField(WithField(op, "arguments", "lhs", "Tensor"), "arguments", "rhs", "Tensor");
  const Manifest manifest = MakeManifest({op, MakeOperator("quantized_mul")});
  const Lists lists = {MakeList(R"("fp32": [{"op": "quantized_mul", "reason": "numeric"}])")};
  const CheckIndex index(CheckInput{manifest, lists, ""});
  std::vector<Finding> findings = RunRules(index, {});
  Diagnostics diagnostics;
  AddCandidates(index, findings, diagnostics);
  ASSERT_EQ(findings.size(), 1U);
  const Finding& finding = findings[0];
  ASSERT_GE(finding.related.size(), 3U);
  EXPECT_EQ(finding.related[0].message, "its nearest sibling, 'quantized_mul', is under 'fp32'");
  EXPECT_EQ(finding.related[1].message, "2 inputs (lhs, rhs)");
  EXPECT_TRUE(finding.related[2].message.starts_with("uncertain, possibly 'fp32' ("));
  ASSERT_EQ(finding.candidates.size(), 5U);
  ASSERT_EQ(finding.suggestions.size(), 1U);
  EXPECT_FALSE(finding.suggestions[0].safe);  // --fix never chooses a policy
  EXPECT_TRUE(finding.suggestions[0].edits.empty());
}

TEST(AddCandidates, RanksNothingInAnEmptyList) {
  const Manifest manifest = MakeManifest({"exp"});
  const Lists lists = {MakeList(R"("fp32": [])")};
  const CheckIndex index(CheckInput{manifest, lists, ""});
  std::vector<Finding> findings = RunRules(index, {});
  Diagnostics diagnostics;
  AddCandidates(index, findings, diagnostics);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_TRUE(findings[0].related.empty());
  EXPECT_EQ(findings[0].suggestions.at(0).command,
            "opledger classify exp --as POLICY --list float16");
}

}  // namespace
}  // namespace opledger
