// The rules: manifest x lists -> findings. One file per rule under rules/, listed in rules.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/findings/finding.h"
#include "checker/findings/suppression.h"
#include "registry/manifest/manifest.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

class CheckIndex;
struct Evidence;

// What the rules look at.
struct CheckInput {
  const Manifest& manifest;
  const std::vector<PrecisionList>& lists;
  std::string configuration;             // --configuration; empty: each list's own
  std::set<std::string> turned_on = {};  // rules that are off unless asked for
  bool lists_by_path = false;  // suggested commands name a list by its path, not by its label
  std::vector<Suppression> suppressions = {};  // of all source files
  const CheckIndex* before = nullptr;          // of the revision that is compared with
  std::string today = {};                      // the day on which their ends are judged
  const Evidence* evidence = nullptr;          // what was measured; nullptr: nothing
};

struct Rule {
  const char* name;  // kebab-case: its id everywhere
  Severity severity;
  const char* summary;  // one line
  const char* page;     // what `opledger explain` prints: what, why, example, what to do
  // Adds to what the rules before it have found.
  void (*run)(const CheckIndex& index, std::vector<Finding>& findings);
  bool off = false;  // unless a severity is set for it
};

// In the order they run and are listed.
const std::vector<Rule>& Rules();
const Rule* FindRule(std::string_view name);

// Whether every configuration that would be judged in is known; names the ones that are not. A
// manifest filtered by one configuration cannot say what is stale, and is refused too.
bool CheckConfigurations(const CheckInput& input, Diagnostics& diagnostics);

// Runs all rules; sorted by path, line, column, rule, operator, list.
std::vector<Finding> RunRules(const CheckInput& input);
std::vector<Finding> RunRules(const CheckIndex& index, const std::set<std::string>& turned_on);

}  // namespace opledger
