// The rules: manifest x lists -> findings. One file per rule, listed in rules.cpp.
// May include: checker/edit, checker/findings, checker/index, checker/terminal,
// registry/condition, registry/precision_list, registry/text.
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
  const char* name;  // kebab-case: its id everywhere
  Severity severity;
  const char* summary;  // one line
  const char* page;     // what `opledger explain` prints: what, why, example, what to do
  // Adds to what the rules before it have found.
  void (*run)(const CheckIndex& index, std::vector<Finding>& findings);
  // The fields of operators that it looks at ("kernels", "dtypes"): a scan for a check returns
  // no other. Names, places, aliases and what makes an operator exempt are always there.
  std::vector<const char*> reads = {};
  bool off = false;     // unless a severity is set for it
  bool grades = false;  // its findings say their own severity, at most that of the rule
};

// The rule whose findings are made where two revisions are compared.
inline constexpr char kHiddenFindingsName[] = "hidden-findings";

// In the order they run and are listed.
const std::vector<Rule>& Rules();
const Rule* FindRule(std::string_view name);
std::vector<std::string> RuleNames();

// Whether it runs: it is on, or its name is among those `turned_on`.
bool Runs(const Rule& rule, const std::set<std::string>& turned_on);

// Runs all rules; sorted by path, line, column, rule, operator, list.
std::vector<Finding> RunRules(const CheckInput& input);
std::vector<Finding> RunRules(const CheckIndex& index, const std::set<std::string>& turned_on);

}  // namespace opledger
