// duplicate-entry: a list has an operator several times under one policy.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <type_traits>

#include "checker/edit/edit.h"
#include "checker/rules/entry_findings.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kDuplicateEntryPage[] =
    R"(A list names one operator several times under the same policy. An entry that
names an alias counts as its operator.

Why: whoever changes one of the entries may miss the other.

Example:
  registered: exp (alias _npi_exp), log
  list: {"framework": "demo", "target_dtype": "float16",
         "fp32": ["exp", "log", "_npi_exp"]}
  finding: operator 'exp' is listed twice under 'fp32' in list 'float16'

What to do: keep one entry. `opledger check --fix` removes entries that add
nothing to another one; if they differ, write one that contains all of it.
Several conditions of an operator are clauses of one conditional entry. An entry
for an operator that an extended list names is not a duplicate: it replaces that
of the base.
)";

std::string Times(std::size_t count) {
  return count == 2 ? "twice" : std::to_string(count) + " times";
}

bool IsSame(const Clause& one, const Clause& other) { return one.Said() == other.Said(); }

// Returns whether `kept`, of the same policy, contains everything that `entry` does.
bool IsSaidBy(const ListEntry& kept, const ListEntry& entry) {
  const auto holds = [](const auto& there, const auto& here) {
    return here == std::decay_t<decltype(here)>() || here == there;
  };
  return holds(kept.reason, entry.reason) && holds(kept.note, entry.note) &&
         holds(kept.accumulate, entry.accumulate) && holds(kept.output, entry.output) &&
         holds(kept.evidence, entry.evidence) &&
         holds(kept.keep_fp32_inputs, entry.keep_fp32_inputs) &&
         kept.otherwise == entry.otherwise &&
         std::equal(kept.clauses.begin(), kept.clauses.end(), entry.clauses.begin(),
                    entry.clauses.end(), IsSame);
}

// Moves an entry that contains everything the others do to the front, if there is one.
void PutKeptFirst(std::vector<const EntryUse*>& uses) {
  for (auto kept = uses.begin(); kept != uses.end(); ++kept) {
    const bool says_all = std::all_of(uses.begin(), uses.end(), [&](const EntryUse* use) {
      return IsSaidBy(*(*kept)->entry, *use->entry);
    });
    if (says_all) {
      std::rotate(uses.begin(), kept, kept + 1);
      return;
    }
  }
}

void CheckDuplicateEntry(const CheckIndex& index, std::vector<Finding>& findings) {
  for (const ListIndex& list : index.lists()) {
    for (const auto& [name, first] : list.by_name) {
      if (first->next == nullptr) continue;
      std::map<Policy, std::vector<const EntryUse*>> by_policy;
      for (const EntryUse* use = first; use != nullptr; use = use->next) {
        std::vector<const EntryUse*>& uses = by_policy[use->entry->policy];
        const bool together = uses.empty() || CanHoldTogether(*uses.front()->entry, *use->entry);
        if (together) uses.push_back(use);
      }
      Finding finding;
      bool differ = false;
      for (auto& [policy, uses] : by_policy) {
        if (uses.size() < 2) continue;
        const EntryUse* first_use = uses.front();
        PutKeptFirst(uses);
        finding.message += finding.message.empty() ? "operator '" + std::string(name) +
                                                         "' is listed " + Times(uses.size())
                                                   : " and " + Times(uses.size());
        finding.message += std::string(" under '") + PolicyName(policy) + "'";
        if (finding.location.line == 0) finding.location = uses[1]->entry->location;
        AddEntryNote(*uses[0], uses[0] == first_use ? "first here" : "with more fields here",
                     finding);
        for (const EntryUse* use : uses) AddAliasNote(*use, finding);
        for (std::size_t i = 1; i < uses.size(); ++i) {
          if (i > 1) AddEntryNote(*uses[i], "again here", finding);
          if (!IsSaidBy(*uses[0]->entry, *uses[i]->entry)) {
            differ = true;
            continue;
          }
          std::optional<Edit> edit = RemoveEntry(*list.list, *uses[i]->entry);
          if (edit) finding.suggestions.push_back({"", {std::move(*edit)}, true});
        }
      }
      if (finding.message.empty()) continue;
      finding.message += " in list '" + list.label + "'";
      if (differ) finding.message += "; the entries differ: write one that contains all of it";
      finding.op = std::string(name);
      finding.list = list.label;
      findings.push_back(std::move(finding));
    }
  }
}

}  // namespace

extern const Rule kDuplicateEntry = {"duplicate-entry", Severity::kError,
                                     "an operator is listed several times under one policy",
                                     kDuplicateEntryPage, CheckDuplicateEntry};

}  // namespace opledger
