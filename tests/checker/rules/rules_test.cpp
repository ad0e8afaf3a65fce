// Properties of all rules: fingerprints, names, configurations, defined results for all inputs.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/rules.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "tests/checker/check_fixture.h"
#include "tests/rounds.h"

namespace opledger {
namespace {

TEST(Fingerprint, SurvivesMovesAndTellsOthersApart) {
  const Lists lists = {MakeList(R"("fp32": [])")};
  Manifest manifest = MakeManifest({"exp", "log"});
  const std::vector<Finding> before = RunRules({manifest, lists, ""});
  for (Operator& op : manifest.operators) op.sites[0].location = {"moved.cc", 99, 3, 99, 6};
  const std::vector<Finding> after = RunRules({manifest, lists, ""});
  ASSERT_EQ(before.size(), 2U);
  EXPECT_EQ(before[0].Fingerprint(), after[0].Fingerprint());
  EXPECT_NE(before[0].Fingerprint(), before[1].Fingerprint());
  Finding other = before[0];
  other.framework = "other";
  EXPECT_NE(other.Fingerprint(), before[0].Fingerprint());
}

TEST(Rules, AreFoundByName) {
  EXPECT_EQ(FindRule("no-such-rule"), nullptr);
  ASSERT_NE(FindRule("stale-entry"), nullptr);
}

TEST(Configurations, UnknownOnesAndFilteredManifestsAreRefused) {
  Manifest manifest = MakeManifest({"exp"});
  const Lists lists = {MakeList(R"("configuration": "gpuu", "fp32": ["exp"])")};
  Diagnostics diagnostics;
  EXPECT_TRUE(CheckConfigurations({manifest, lists, "cpu"}, diagnostics));
  EXPECT_TRUE(CheckConfigurations({manifest, lists, "union"}, diagnostics));
  EXPECT_FALSE(CheckConfigurations({manifest, lists, ""}, diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(diagnostics.all()[0].hint, "did you mean 'gpu'?");
  manifest.configuration = "cpu";
  EXPECT_FALSE(CheckConfigurations({manifest, lists, "cpu"}, diagnostics));
}

// Names of a few letters, so that aliases, entries and operators collide in every way.
std::string RandomName(std::mt19937& random) {
  std::string name(1 + random() % 5, 'a');
  for (char& c : name) c = "abAB_"[random() % 5];
  return name;
}

std::string RandomCondition(std::mt19937& random) {
  constexpr const char* kConditions[] = {"", "", "CUDA == 1", "CUDA != 1", "0", "defined(X)"};
  return kConditions[random() % 6];
}

Manifest RandomManifest(std::mt19937& random) {
  std::map<std::string, Operator> operators;
  for (unsigned i = random() % 12; i > 0; --i) {
    Operator op = MakeOperator(RandomName(random), RandomCondition(random));
    if (random() % 8 == 0) op.sites.clear();
    if (random() % 6 == 0) op.exempt = "filter";
    for (unsigned j = random() % 3; j > 0; --j) {
      op = WithAlias(op, RandomName(random), RandomCondition(random));
    }
    operators[op.name] = op;
  }
  Manifest manifest = MakeManifest(std::vector<Operator>{});
  for (const auto& [name, op] : operators) manifest.operators.push_back(op);
  for (unsigned i = random() % 3; i > 0; --i) manifest.incomplete.push_back({{}, "file", "x"});
  return manifest;
}

PrecisionList RandomList(std::mt19937& random) {
  PrecisionList list;
  list.path = "list.json";
  for (unsigned i = random() % 12; i > 0; --i) {
    ListEntry& entry = (random() % 4 == 0 ? list.inherited : list.entries).emplace_back();
    entry.op = RandomName(random);
    entry.policy = kPolicies[random() % 5];
    entry.location = {"list.json", static_cast<int>(i), 1, static_cast<int>(i), 3};
    for (unsigned j = random() % 3; j > 0; --j) {
      Clause& clause = entry.clauses.emplace_back();
      clause.is_range = random() % 2 == 0;
      if (random() % 2 == 0) clause.minimum = static_cast<double>(random() % 4);
      if (random() % 2 == 0) clause.maximum = static_cast<double>(random() % 4);
      for (unsigned k = random() % 3; k > 0; --k) clause.values.push_back(RandomName(random));
    }
  }
  return list;
}

// Any list and manifest yield sorted findings, each (rule, operator, list) once.
TEST(Rules, AreTotal) {
  std::mt19937 random(20261);
  for (int round = 0; round < Rounds(3000); ++round) {
    const Manifest manifest = RandomManifest(random);
    const Lists lists = {RandomList(random), RandomList(random)};
    const std::vector<Finding> findings = RunRules({manifest, lists, ""});
    std::set<std::tuple<std::string, std::string, std::string>> seen;
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const Finding& finding = findings[i];
      EXPECT_FALSE(finding.message.empty());
      EXPECT_TRUE(seen.insert({finding.rule, finding.op, finding.list}).second)
          << finding.rule << ' ' << finding.op << " in round " << round;
      if (i > 0) {
        EXPECT_LE(findings[i - 1].location, finding.location);
      }
    }
    EXPECT_EQ(RuleLines(RunRules({manifest, lists, ""})), RuleLines(findings));
  }
}

// An operator that needs a policy and has no finding is in exactly one place.
TEST(Rules, LeaveNoOperatorOut) {
  std::mt19937 random(7);
  for (int round = 0; round < Rounds(3000); ++round) {
    const Manifest manifest = RandomManifest(random);
    const Lists lists = {RandomList(random)};
    std::set<std::string> reported;
    const std::vector<Finding> findings = RunRules({manifest, lists, "union"});
    for (const Finding& finding : findings) {
      if (finding.rule != "bad-condition") reported.insert(finding.op);
      if (finding.rule != "glued-literals") continue;
      for (const Operator& op : manifest.operators) {
        const bool part = finding.message.find("'" + op.name + "'") != std::string::npos;
        if (part) reported.insert(op.name);
      }
    }
    for (const Operator& op : manifest.operators) {
      if (!op.exempt.empty() || !op.CanExist() || reported.contains(op.name)) continue;
      bool named = false;
      for (const auto* entries : {&lists[0].entries, &lists[0].inherited}) {
        for (const ListEntry& entry : *entries) {
          named |= entry.op == op.name;
          for (const Alias& alias : op.aliases) named |= entry.op == alias.name;
        }
      }
      EXPECT_TRUE(named) << op.name << " in round " << round;
    }
  }
}

}  // namespace
}  // namespace opledger
