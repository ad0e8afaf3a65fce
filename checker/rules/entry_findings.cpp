// Considers only the first entry of an operator: duplicate-entry and in-several-lists report
// others.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/entry_findings.h"

#include <utility>

#include "checker/rules/removed_entries.h"
#include "registry/text/text.h"

namespace opledger {

void ForEachListedOperator(
    const CheckIndex& index,
    const std::function<void(const ListIndex& list, const EntryUse& use)>& visit) {
  for (const ListIndex& list : index.lists()) {
    for (const EntryUse& use : list.uses) {
      if (use.op == nullptr) continue;
      if (list.Find(use.op->name) == &use) visit(list, use);
    }
  }
}

Finding& AddAt(const Location& place, const std::string& op, const ListIndex& list,
               std::string message, std::vector<Finding>& findings) {
  Finding& finding = findings.emplace_back();
  finding.op = op;
  finding.list = list.label;
  finding.location = place;
  finding.message = std::move(message);
  return finding;
}

Finding& AddAtEntry(const ListIndex& list, const EntryUse& use, std::string message,
                    std::vector<Finding>& findings) {
  return AddAt(use.entry->location, use.op->name, list, std::move(message), findings);
}

bool CanHoldTogether(const ListEntry& one, const ListEntry& other) {
  if (one.condition.IsAlways() || other.condition.IsAlways()) return true;
  return one.condition.And(other.condition).CanBeTrue();
}

void RelateKernel(const Kernel& kernel, const char* what, Finding& finding) {
  if (!kernel.location.path.empty()) finding.related.push_back({kernel.location, what});
}

void AddAliasNote(const EntryUse& use, Finding& finding) {
  if (use.alias == nullptr) return;
  finding.related.push_back({AliasPlace(*use.op, *use.alias),
                             "'" + use.alias->name + "' is an alias of '" + use.op->name + "'"});
}

void AddEntryNote(const EntryUse& use, const char* what, Finding& finding) {
  finding.related.push_back(
      {use.entry->location, std::string(what) + ", under '" + PolicyName(use.entry->policy) + "'"});
}

std::string ListsText(const std::vector<std::string>& labels) {
  const auto quoted = [](const std::string& label) { return "'" + label + "'"; };
  return (labels.size() == 1 ? "list " : "lists ") + Join(labels, ", ", quoted);
}

const Location& AliasPlace(const Operator& op, const Alias& alias) {
  if (!alias.location.path.empty() || op.sites.empty()) return alias.location;
  return op.sites.front().location;
}

namespace {

// Returns the operator's first entry in the list with this label in the revision compared with.
const EntryUse* EntryBefore(const CheckIndex& index, const ListIndex& list, std::string_view name) {
  if (index.before() == nullptr) return nullptr;
  const ListIndex* const before = FindList(*index.before(), list.label);
  const Operator* const op = index.before()->Resolve(name);
  return before == nullptr ? nullptr : before->Find(op != nullptr ? op->name : name);
}

bool IsNewDisagreement(const CheckIndex& index, const ListIndex& first, const ListIndex& second,
                       std::string_view name) {
  const EntryUse* const one = EntryBefore(index, first, name);
  const EntryUse* const other = EntryBefore(index, second, name);
  return one != nullptr && other != nullptr && one->entry->policy == other->entry->policy;
}

}  // namespace

bool HasNewReason(const CheckIndex& index, const ListIndex& list, const EntryUse& use) {
  const EntryUse* const before = EntryBefore(index, list, use.op->name);
  const ListEntry& entry = *use.entry;
  if (before == nullptr) return !entry.note.empty() || !entry.reason.empty();
  return (!entry.note.empty() && entry.note != before->entry->note) ||
         (!entry.reason.empty() && entry.reason != before->entry->reason);
}

void CompareLists(const CheckIndex& index, const ListIndex& first, const ListIndex& second,
                  std::vector<Finding>& findings) {
  for (const EntryUse& use : second.uses) {
    if (use.op == nullptr) continue;
    const EntryUse* const there = first.Find(use.op->name);
    const bool repeated = second.Find(use.op->name) != &use;
    if (there == nullptr || repeated) continue;
    const ListEntry& other = *there->entry;
    if (other.policy == use.entry->policy) continue;
    Finding& finding = findings.emplace_back();
    finding.op = use.op->name;
    finding.list = second.label;
    finding.location = use.entry->location;
    finding.message = "'" + use.op->name + "' is '" + PolicyName(use.entry->policy) +
                      "' in list '" + second.label + "' but '" + PolicyName(other.policy) +
                      "' in list '" + first.label + "'";
    finding.related.push_back({other.location, "the other entry"});
    const bool made = IsNewDisagreement(index, first, second, use.op->name) &&
                      !HasNewReason(index, first, *there) && !HasNewReason(index, second, use);
    finding.severity = made ? Severity::kWarning : Severity::kNote;
  }
}

}  // namespace opledger
