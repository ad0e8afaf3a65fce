// policy-without-test: no test of the framework uses an operator under its policy.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "checker/rules/entry_findings.h"
#include "checker/rules/evidence/public_names.h"
#include "checker/rules/rules.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr char kPolicyWithoutTestPage[] =
    R"(A list has an operator under a policy, and none of the tests that the list names in
"tested_in" does. A test names an operator as a page would: without namespace and
overload.

Why: nothing then tests that the framework casts the operator this way, and a list
that lost the entry would pass all tests.

Example:
  registered: aten::exp, aten::rms_norm
  file: lists.py: torch_fp32 = [("exp", x)]
  list: {"framework": "demo", "target_dtype": "float16", "fp32": ["aten::exp", "aten::rms_norm"],
         "tested_in": [{"file": "lists.py", "map": {"torch_fp32": "fp32"}}]}
  finding: operator 'aten::rms_norm' is 'fp32' in list 'float16', but no test in lists.py uses it under this policy

What to do: add it to the test's list, with arguments.
)";

using Tested = std::set<std::pair<std::string, Policy>>;

// Returns the names and policies in the tests. Adds the files with tests for each policy to
// `files`.
Tested TestedIn(const PublicNames& names, const ListIndex& list,
                std::map<Policy, std::set<std::string>>& files) {
  Tested tested;
  for (const NamedOperators& section : list.list->tested) {
    if (!section.problem.empty()) continue;
    files[section.policy].insert(section.file);
    for (const PlacedName& placed : section.names) {
      tested.emplace(names.Meant(placed.name), section.policy);
    }
  }
  return tested;
}

void CheckPolicyWithoutTest(const CheckIndex& index, std::vector<Finding>& findings) {
  for (const ListIndex& list : index.lists()) {
    if (list.list->tested.empty()) continue;
    AddUnreadSections(list.list->tested, "tested_in", list, findings);
    const PublicNames names(index, list);
    std::map<Policy, std::set<std::string>> files;
    const Tested tested = TestedIn(names, list, files);
    for (const auto& [base, name] : names.all()) {
      for (const auto& [policy, use] : name.listed) {
        if (!files.contains(policy) || tested.contains({base, policy})) continue;
        AddAt(use->entry->location, name.op->name, list,
              "operator '" + name.op->name + "' is '" + PolicyName(policy) + "' in list '" +
                  list.label + "', but no test in " + Join(files[policy], ", ") +
                  " uses it under this policy",
              findings);
      }
    }
  }
}

}  // namespace

extern const Rule kPolicyWithoutTest = {"policy-without-test", Severity::kNote,
                                        "no test covers the policy of an operator",
                                        kPolicyWithoutTestPage, CheckPolicyWithoutTest};

}  // namespace opledger
