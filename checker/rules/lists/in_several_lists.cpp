// in-several-lists: a list has an operator under several policies.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "checker/rules/entry_findings.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kInSeveralListsPage[] =
    R"(A list names one operator under several policies. The policies exclude each
other, so the list contradicts itself. An entry that names an alias counts as
its operator.

Why: which of the entries wins depends on the order in which a program reads
them.

Example:
  registered: exp, log
  list: {"framework": "demo", "target_dtype": "float16",
         "target": ["log"], "fp32": ["exp", "log"]}
  finding: operator 'log' is listed under 'target' and 'fp32' in list 'float16'

What to do: decide on one. `opledger classify NAME --as POLICY` leaves exactly
one entry. An operator that needs fp32 for some attribute values only is
'conditional'.
)";

void CheckInSeveralLists(const CheckIndex& index, std::vector<Finding>& findings) {
  for (const ListIndex& list : index.lists()) {
    for (const auto& [name, first] : list.by_name) {
      if (first->next == nullptr) continue;
      std::vector<const EntryUse*> firsts;  // the first entry of each policy, in file order
      std::set<Policy> policies;
      for (const EntryUse* use = first; use != nullptr; use = use->next) {
        const bool together =
            firsts.empty() || CanHoldTogether(*firsts.front()->entry, *use->entry);
        if (together && policies.insert(use->entry->policy).second) firsts.push_back(use);
      }
      if (firsts.size() < 2) continue;
      Finding& finding = findings.emplace_back();
      finding.op = std::string(name);
      finding.list = list.label;
      finding.location = firsts[1]->entry->location;
      finding.message = "operator '" + finding.op + "' is listed under ";
      for (std::size_t i = 0; i < firsts.size(); ++i) {
        if (i > 0) finding.message += i + 1 == firsts.size() ? " and " : ", ";
        finding.message += std::string("'") + PolicyName(firsts[i]->entry->policy) + "'";
        if (i != 1) AddEntryNote(*firsts[i], i == 0 ? "first here" : "also here", finding);
      }
      finding.message += " in list '" + list.label + "'";
      for (const EntryUse* use : firsts) AddAliasNote(*use, finding);
    }
  }
}

}  // namespace

extern const Rule kInSeveralLists = {"in-several-lists", Severity::kError,
                                     "an operator is listed under several policies",
                                     kInSeveralListsPage, CheckInSeveralLists};

}  // namespace opledger
