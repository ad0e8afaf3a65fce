// The rules: each checks manifest and lists and reports findings. Each has a file in one of the
// rooms below (lists, kernels, evidence, gate) and a line in rules.cpp. This room has what rules of
// several rooms share.
// May include: checker/findings, checker/index, registry/precision_list, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/findings/findings.h"
#include "checker/index/index.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

struct Rule {
  const char* name;  // the id, in kebab-case
  Severity severity;
  const char* summary;  // one line
  const char* page;     // for `opledger explain`: what, why, example, what to do
  // Appends findings. `findings` contains those of earlier rules.
  void (*run)(const CheckIndex& index, std::vector<Finding>& findings);
  // The operator fields that the rule reads, such as "kernels" or "dtypes". A scan for a check
  // returns no others. Names, places, aliases and exemptions are always present.
  std::vector<const char*> reads = {};
  bool off = false;     // runs only if its severity is set
  bool grades = false;  // sets the severity of each finding, up to that of the rule
};

// The rule whose findings come from comparing two revisions.
inline constexpr char kHiddenFindingsName[] = "hidden-findings";

// Returns the rules in the order in which they run and are listed.
const std::vector<Rule>& Rules();
// Returns nullptr if there is no such rule.
const Rule* FindRule(std::string_view name);
std::vector<std::string> RuleNames();

// Returns whether the rule is on by default or in `turned_on`.
bool Runs(const Rule& rule, const std::set<std::string>& turned_on);

// Runs all rules. The findings are sorted by path, line, column, rule, operator and list.
std::vector<Finding> RunRules(const CheckInput& input);
std::vector<Finding> RunRules(const CheckIndex& index, const std::set<std::string>& turned_on);

}  // namespace opledger
