// Add, move or change one entry; everything else stays byte for byte.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/classify.h"

#include <algorithm>

#include "checker/edit/entry_text.h"
#include "checker/edit/list_edit.h"

namespace opledger {
namespace {

std::vector<const ListEntry*> EntriesOf(const PrecisionList& list, const std::string& op) {
  std::vector<const ListEntry*> entries;
  for (const ListEntry& entry : list.entries) {
    if (entry.op == op) entries.push_back(&entry);
  }
  return entries;
}

std::optional<PrecisionList> Reparse(const PrecisionList& list, const Edit& edit,
                                     Diagnostics& diagnostics) {
  return ParsePrecisionList(list.path, ApplyEdit(list.document.text, edit), diagnostics);
}

// The entry that stays: one under the policy, else the first.
const ListEntry* Keeper(const std::vector<const ListEntry*>& entries, Policy policy) {
  for (const ListEntry* entry : entries) {
    if (entry->policy == policy) return entry;
  }
  return entries.empty() ? nullptr : entries.front();
}

}  // namespace

std::optional<Classified> Classify(const PrecisionList& list, const Classification& wanted,
                                   Diagnostics& diagnostics) {
  const ListEntry* keeper = Keeper(EntriesOf(list, wanted.op), wanted.policy);
  const std::string item = EntryText(list, keeper, wanted);
  const bool in_place = keeper != nullptr && keeper->policy == wanted.policy;
  Classified result;
  result.change = keeper == nullptr ? EntryChange::kAdded
                  : in_place        ? EntryChange::kChanged
                                    : EntryChange::kMoved;
  PrecisionList current = list;
  if (in_place) {
    const std::string before =
        list.document.text.substr(keeper->item.begin, keeper->item.end - keeper->item.begin);
    if (before == item && EntriesOf(list, wanted.op).size() == 1) {
      return Classified{list.document.text, EntryChange::kNone, keeper->location};
    }
    std::optional<PrecisionList> next =
        Reparse(current, ReplaceEntry(current, *keeper, item), diagnostics);
    if (!next) return std::nullopt;
    current = std::move(*next);
  }
  // One at a time, since neighbours share a comma.
  while (true) {
    const std::vector<const ListEntry*> entries = EntriesOf(current, wanted.op);
    const ListEntry* kept = in_place ? Keeper(entries, wanted.policy) : nullptr;
    const auto other = std::find_if(entries.begin(), entries.end(),
                                    [&](const ListEntry* entry) { return entry != kept; });
    if (other == entries.end()) break;
    const std::optional<Edit> edit = RemoveEntry(current, **other);
    std::optional<PrecisionList> next = Reparse(current, *edit, diagnostics);
    if (!next) return std::nullopt;
    current = std::move(*next);
  }
  if (!in_place) {
    std::optional<PrecisionList> next =
        Reparse(current, InsertEntry(current, wanted.policy, wanted.op, item), diagnostics);
    if (!next) return std::nullopt;
    current = std::move(*next);
  }
  const std::vector<const ListEntry*> entries = EntriesOf(current, wanted.op);
  if (entries.size() != 1 || entries.front()->policy != wanted.policy) {
    diagnostics.Error({list.path, 0, 0, 0, 0}, "the edit would not give the operator its policy",
                      "edit the file by hand");
    return std::nullopt;
  }
  result.location = entries.front()->location;
  result.text = std::move(current.document.text);
  return result;
}

}  // namespace opledger
