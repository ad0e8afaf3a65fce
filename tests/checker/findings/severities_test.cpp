// Severities and ignore rules.
// SPDX-License-Identifier: Apache-2.0
#include "checker/filter/severities.h"

#include <gtest/gtest.h>

namespace opledger {
namespace {

std::vector<Finding> TwoFindings() {
  Finding stale;
  stale.rule = "stale-entry";
  stale.op = "swish";
  stale.severity = Severity::kWarning;
  stale.location.path = "lists/float16.json";
  Finding unclassified;
  unclassified.rule = "unclassified-operator";
  unclassified.op = "exp";
  unclassified.location.path = "src/exp.cc";
  return {stale, unclassified};
}

// Returns the remaining findings; `ignored` counts those that an ignore rule removed.
std::vector<Finding> Remaining(const Severities& severities, int& ignored) {
  std::vector<Finding> remaining;
  ignored = 0;
  for (Finding& finding : TwoFindings()) {
    if (severities.Ignoring(finding) != nullptr) {
      ++ignored;
    } else if (severities.ApplySeverity(finding)) {
      remaining.push_back(std::move(finding));
    }
  }
  return remaining;
}

IgnoreRule Ignore(const char* rule, const char* op, const char* path) {
  return {rule, op, path, "known", {}};
}

TEST(Severities, FlagBeatsFile) {
  ProjectFile project;
  project.severities = {{"stale-entry", "off"}, {"unclassified-operator", "note"}};
  Severities severities;
  Diagnostics diagnostics;
  ASSERT_TRUE(severities.AddProject(project, diagnostics));
  ASSERT_TRUE(severities.AddFlag("stale-entry=error", diagnostics));
  int ignored = 0;
  const std::vector<Finding> findings = Remaining(severities, ignored);
  EXPECT_EQ(ignored, 0);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].severity, Severity::kError);
  EXPECT_EQ(findings[1].severity, Severity::kNote);
}

TEST(Severities, OffDropsWithoutCounting) {
  Severities severities;
  Diagnostics diagnostics;
  ASSERT_TRUE(severities.AddFlag("stale-entry=off", diagnostics));
  int ignored = 0;
  const std::vector<Finding> findings = Remaining(severities, ignored);
  EXPECT_EQ(ignored, 0);
  EXPECT_EQ(findings.size(), 1U);
}

TEST(Severities, SelectLeavesNothingElse) {
  Severities severities;
  Diagnostics diagnostics;
  ASSERT_TRUE(severities.Select({"stale-entry"}, diagnostics));
  int ignored = 0;
  ASSERT_EQ(Remaining(severities, ignored).size(), 1U);
  EXPECT_EQ(Remaining(severities, ignored)[0].rule, "stale-entry");
  ASSERT_TRUE(severities.Ignore({"stale-entry"}, diagnostics));
  EXPECT_EQ(Remaining(severities, ignored).size(), 0U);
  EXPECT_FALSE(severities.Select({"stale-entri"}, diagnostics));
  EXPECT_EQ(diagnostics.all()[0].hint, "did you mean 'stale-entry'?");
}

TEST(Severities, IgnoreRulesMatchWhatTheyName) {
  const std::vector<std::pair<IgnoreRule, int>> cases = {
      {Ignore("stale-entry", "", ""), 1},
      {Ignore("", "s*", ""), 1},
      {Ignore("", "", "lists/**"), 1},
      {Ignore("stale-entry", "exp", ""), 0},
      {Ignore("", "*", ""), 2},
      {Ignore("unclassified-operator", "e?p", "src/*"), 1},
      {Ignore("stale-entry", "", "src/*"), 0},
  };
  for (const auto& [rule, expected] : cases) {
    ProjectFile project;
    project.ignore = {rule};
    Severities severities;
    Diagnostics diagnostics;
    ASSERT_TRUE(severities.AddProject(project, diagnostics));
    int ignored = 0;
    const std::vector<Finding> findings = Remaining(severities, ignored);
    EXPECT_EQ(ignored, expected) << rule.rule << ' ' << rule.op << rule.path;
    EXPECT_EQ(findings.size(), 2U - static_cast<std::size_t>(expected));
  }
}

TEST(Severities, MistakesAreErrorsWithAHint) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"stale-entri=error", "did you mean 'stale-entry'?"},
      {"stale-entry=warn", "did you mean 'warning'?"},
      {"stale-entry=loud", "it can be error, warning, note or off"},
      {"stale-entry=eror", "did you mean 'error'?"},
      {"stale-entry", "write --severity RULE=LEVEL, such as stale-entry=error"},
      {"=", "`opledger explain` lists the rules"},
  };
  for (const auto& [text, hint] : cases) {
    Severities severities;
    Diagnostics diagnostics;
    EXPECT_FALSE(severities.AddFlag(text, diagnostics));
    ASSERT_EQ(diagnostics.all().size(), 1U);
    EXPECT_EQ(diagnostics.all()[0].hint, hint);
  }
  const std::vector<IgnoreRule> bad = {
      Ignore("stale", "", ""), Ignore("", "", ""), {"stale-entry", "", "", " ", {}}};
  for (const IgnoreRule& rule : bad) {
    ProjectFile project;
    project.ignore = {rule};
    Severities severities;
    Diagnostics diagnostics;
    EXPECT_FALSE(severities.AddProject(project, diagnostics));
  }
}

}  // namespace
}  // namespace opledger
