// The table of rules, and the function that runs them.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/rules.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>

#include "checker/rules/joined_lists.h"

namespace opledger {

// Each is defined in the file of its name, in one of the rooms below.
extern const Rule kUnclassifiedOperator;
extern const Rule kStaleEntry;
extern const Rule kNearMissName;
extern const Rule kDuplicateEntry;
extern const Rule kInSeveralLists;
extern const Rule kBadCondition;
extern const Rule kAliasConflict;
extern const Rule kIncompleteScan;
extern const Rule kGluedLiterals;
extern const Rule kVersionSiblingUnlisted;
extern const Rule kGradientPairSplit;
extern const Rule kDeviceListsDisagree;
extern const Rule kDtypeListsDisagree;
extern const Rule kDeprecatedOperatorListed;
extern const Rule kTargetWithoutKernel;
extern const Rule kEitherWithoutKernel;
extern const Rule kTargetAccumulatesLow;
extern const Rule kEitherAccumulatesLow;
extern const Rule kNoKernelOutdated;
extern const Rule kCapableKeptFp32;
extern const Rule kContradictsEvidence;
extern const Rule kContradictsSource;
extern const Rule kFixedAutocastType;
extern const Rule kUnrecognizedRegistration;
extern const Rule kMovedToTarget;
extern const Rule kRemovedFromTarget;
extern const Rule kOutdatedDocumentation;
extern const Rule kPolicyWithoutTest;
extern const Rule kHiddenFindings;
extern const Rule kSuppressionProblem;

const std::vector<Rule>& Rules() {
  static const std::vector<Rule> rules = {
      kUnclassifiedOperator,
      kStaleEntry,
      kNearMissName,
      kGluedLiterals,
      kDuplicateEntry,
      kInSeveralLists,
      kBadCondition,
      kAliasConflict,
      kVersionSiblingUnlisted,
      kGradientPairSplit,
      kDeviceListsDisagree,
      kDtypeListsDisagree,
      kDeprecatedOperatorListed,
      kTargetWithoutKernel,
      kEitherWithoutKernel,
      kTargetAccumulatesLow,
      kEitherAccumulatesLow,
      kNoKernelOutdated,
      kCapableKeptFp32,
      kContradictsEvidence,
      kContradictsSource,
      kFixedAutocastType,
      kIncompleteScan,
      kUnrecognizedRegistration,
      kMovedToTarget,
      kRemovedFromTarget,
      kOutdatedDocumentation,
      kPolicyWithoutTest,
      kHiddenFindings,
      kSuppressionProblem,  // last: uses the findings of all other rules
  };
  return rules;
}

const Rule* FindRule(std::string_view name) {
  for (const Rule& rule : Rules()) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

std::vector<std::string> RuleNames() {
  std::vector<std::string> names;
  for (const Rule& rule : Rules()) names.emplace_back(rule.name);
  return names;
}

bool Runs(const Rule& rule, const std::set<std::string>& turned_on) {
  return !rule.off || turned_on.contains(rule.name);
}

std::vector<Finding> RunRules(const CheckInput& input) {
  return RunRules(CheckIndex(input), input.turned_on);
}

namespace {

// Sorts by place, rule, operator and list, otherwise by order of insertion. Sorts in place: there
// may be a million findings, and a stable sort would copy half of them.
void Sort(std::vector<Finding>& findings) {
  std::vector<std::uint32_t> order(findings.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t left, std::uint32_t right) {
    const Finding& a = findings[left];
    const Finding& b = findings[right];
    return std::tie(a.location, a.rule, a.op, a.list, left) <
           std::tie(b.location, b.rule, b.op, b.list, right);
  });
  for (std::uint32_t start = 0; start < order.size(); ++start) {
    // Follow one cycle of the permutation. `start` holds its first finding in the meantime.
    std::uint32_t place = start;
    while (order[place] != start) {
      std::swap(findings[place], findings[order[place]]);
      place = std::exchange(order[place], place);
    }
    order[place] = place;
  }
}

}  // namespace

std::vector<Finding> RunRules(const CheckIndex& index, const std::set<std::string>& turned_on) {
  std::vector<Finding> findings;
  for (const Rule& rule : Rules()) {
    if (!Runs(rule, turned_on)) continue;
    const std::size_t first = findings.size();
    rule.run(index, findings);
    for (std::size_t i = first; i < findings.size(); ++i) {
      findings[i].rule = rule.name;
      if (!rule.grades) findings[i].severity = rule.severity;
      findings[i].framework = index.manifest().dialect;
      findings[i].message.shrink_to_fit();  // built from pieces, so it has unused capacity
    }
  }
  Sort(findings);
  JoinLists(index, findings);
  return findings;
}

}  // namespace opledger
