// bad-condition: a conditional entry whose clauses cannot be right.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "checker/index/operator_facts.h"
#include "checker/rules/lists/clause_overlap.h"
#include "checker/rules/rules.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr char kBadConditionPage[] =
    R"(A conditional entry has a clause that never applies, always applies, or names
an attribute or a value that the operator does not have.

Why: the operator then runs in another precision than the list seems to say.

Example:
  registered: LeakyReLU
  list: {"framework": "demo", "target_dtype": "float16",
         "conditional": [{"op": "LeakyReLU", "attribute": "act_type",
                          "values": ["elu", "selu", "elu"], "then": "fp32"}]}
  finding: condition of 'LeakyReLU' in list 'float16': value 'elu' of 'act_type' is listed twice

What to do: correct the clause. The rule reports a missing clause, missing values,
a value that is listed twice, also in two clauses of one attribute (the first
applies), a range that is empty, open at both ends or overlaps an earlier one, and
clauses that all give the policy of "otherwise". If the manifest has the operator's
attributes or inputs (from its registration or its kernels), it also reports
unknown ones, and values that they never have.
)";

struct Problem {
  Location location;
  std::string message;
};

// `by_kernels`: kernels declare their parameters, so an operator without any has none.
void CheckAttribute(const EntryUse& use, const Clause& clause, bool by_kernels,
                    std::vector<Problem>& problems) {
  if (use.op == nullptr) return;
  const OperatorAttributes known = ReadOperatorAttributes(*use.op);
  if (known.empty() && by_kernels && !use.op->kernels.empty()) {
    problems.push_back({clause.location, "no kernel of the operator reads attribute '" +
                                             clause.attribute + "' or any other attribute"});
  }
  if (known.empty()) return;
  const auto attribute = known.find(clause.attribute);
  if (attribute == known.end()) {
    std::string names;
    for (const auto& [name, values] : known) names += (names.empty() ? "'" : ", '") + name + "'";
    problems.push_back({clause.location, "the operator has no attribute '" + clause.attribute +
                                             "'; it has " + names});
    return;
  }
  if (attribute->second.empty()) return;
  for (const std::string& value : clause.values) {
    if (attribute->second.contains(value)) continue;
    problems.push_back({clause.location, "attribute '" + clause.attribute +
                                             "' never has the value '" + value + "'"});
  }
}

// Checks inputs that are given by name, not by index.
void CheckTestedInput(const EntryUse& use, const Clause& clause, std::vector<Problem>& problems) {
  if (use.op == nullptr || clause.input.find_first_not_of("0123456789") == std::string::npos) {
    return;
  }
  const std::vector<std::string> names = OperatorInputNames(*use.op);
  if (names.empty() || std::find(names.begin(), names.end(), clause.input) != names.end()) return;
  problems.push_back({clause.location, "the operator has no input '" + clause.input +
                                           "'; it has '" + Join(names, "', '") + "'"});
}

void CheckClause(const Clause& clause, std::vector<Problem>& problems) {
  if (!clause.is_range) {
    if (clause.values.empty()) {
      problems.push_back({clause.location, "attribute '" + clause.Subject() + "' has no values"});
    }
    return;
  }
  if (!clause.minimum && !clause.maximum) {
    problems.push_back(
        {clause.location, "the range of '" + clause.Subject() + "' is open at both ends"});
  } else if (clause.minimum && clause.maximum && !(*clause.minimum <= *clause.maximum)) {
    problems.push_back({clause.location, "the range of '" + clause.Subject() +
                                             "' is empty: its minimum is above its maximum"});
  }
}

// Returns whether all clauses give the policy of "otherwise".
bool IsPointless(const ListEntry& entry) {
  for (const Clause& clause : entry.clauses) {
    if (clause.then != entry.otherwise) return false;
  }
  return !entry.clauses.empty();
}

void CheckEntry(const EntryUse& use, bool by_kernels, std::vector<Problem>& problems) {
  const ListEntry& entry = *use.entry;
  if (entry.clauses.empty()) problems.push_back({entry.location, "it has no clause"});
  ClauseOverlap overlap;
  for (const Clause& clause : entry.clauses) {
    CheckClause(clause, problems);
    for (std::string& message : overlap.Add(clause)) {
      problems.push_back({clause.location, std::move(message)});
    }
    if (clause.input.empty()) CheckAttribute(use, clause, by_kernels, problems);
    if (!clause.input.empty()) CheckTestedInput(use, clause, problems);
  }
  if (IsPointless(entry)) {
    problems.push_back({entry.clauses.front().then_location, std::string("every clause gives '") +
                                                                 PolicyName(entry.otherwise) +
                                                                 "', as \"otherwise\" does"});
  }
}

void CheckBadCondition(const CheckIndex& index, std::vector<Finding>& findings) {
  const bool by_kernels = KernelsSayParameters(index.manifest());
  for (const ListIndex& list : index.lists()) {
    std::map<std::string_view, std::vector<Problem>> by_operator;
    for (const EntryUse& use : list.uses) {
      if (use.entry->policy != Policy::kConditional) continue;
      const std::string_view name = use.op != nullptr ? use.op->name : use.entry->op;
      CheckEntry(use, by_kernels, by_operator[name]);
    }
    for (const auto& [name, problems] : by_operator) {
      if (problems.empty()) continue;
      Finding& finding = findings.emplace_back();
      finding.op = std::string(name);
      finding.list = list.label;
      finding.location = problems.front().location;
      finding.message = "condition of '" + finding.op + "' in list '" + list.label +
                        "': " + problems.front().message;
      for (std::size_t i = 1; i < problems.size(); ++i) {
        finding.related.push_back({problems[i].location, problems[i].message});
      }
    }
  }
}

}  // namespace

extern const Rule kBadCondition = {
    "bad-condition",
    Severity::kError,
    "a conditional entry has a clause that cannot be right",
    kBadConditionPage,
    CheckBadCondition,
    {"kernels", "parameters", "attribute_values", "inputs", "arguments", "input_names"}};

}  // namespace opledger
