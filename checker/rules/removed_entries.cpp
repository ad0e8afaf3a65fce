// Ignores entries whose operators were removed, too.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/removed_entries.h"

namespace opledger {

const ListIndex* FindList(const CheckIndex& index, const std::string& label) {
  for (const ListIndex& list : index.lists()) {
    if (list.label == label) return &list;
  }
  return nullptr;
}

namespace {

// Returns whether another entry replaces `old`. For a row of a framework's own list, only another
// row does, because the framework does not see entries of the list file.
bool IsReplaced(const ListIndex& list, const Operator& op, const ListEntry& old) {
  for (const EntryUse* use = list.Find(op.name); use != nullptr; use = use->next) {
    if (old.source.empty() || !use->entry->source.empty() || !list.list->IsDerived()) return true;
  }
  return false;
}

}  // namespace

void ForEachRemoved(const CheckIndex& index, const ListIndex& list, const ListIndex& before,
                    const std::function<void(const Operator& op, const ListEntry& old)>& visit) {
  for (const EntryUse& old : before.uses) {
    const std::string& name = old.op != nullptr ? old.op->name : old.entry->op;
    const Operator* const op = index.Resolve(name);
    if (op == nullptr || IsReplaced(list, *op, *old.entry)) continue;
    if (before.Find(name) == &old) visit(*op, *old.entry);
  }
}

bool SaysWhyRemoved(const ListIndex& list, const ListIndex& before, const Operator& op,
                    const ListEntry& old) {
  const auto note = [&](const PrecisionList& of, const std::string& name) {
    for (const RemovedEntry& removed : of.removed) {
      if (removed.op == name && removed.policy == old.policy) return removed.note;
    }
    return std::string();
  };
  const auto says = [&](const std::string& name) {
    const std::string now = note(*list.list, name);
    return !now.empty() && now != note(*before.list, name);
  };
  return says(op.name) || says(old.op);
}

Location PlaceOfRemoved(const ListIndex& list, const ListEntry& old) {
  const SourceList* of_other_policy = nullptr;
  for (const SourceList& each : list.list->source_lists) {
    if (old.source.empty() || each.name != old.source) continue;
    if (each.policy == old.policy) return each.location;
    of_other_policy = &each;
  }
  if (of_other_policy != nullptr) return of_other_policy->location;
  const JsonValue* const says = list.list->document.root.Find("unlisted");
  return says != nullptr ? list.list->document.At(says->span)
                         : Location{list.list->path, 1, 1, 1, 1};
}

}  // namespace opledger
