// Adds, moves or changes one entry. Everything else stays byte for byte.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/classify.h"

#include <algorithm>
#include <string_view>

#include "checker/edit/classify_row.h"
#include "checker/edit/edit.h"
#include "registry/json/json_write.h"
#include "registry/text/text.h"

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

// Returns the entry to keep: one under the policy, otherwise the first.
const ListEntry* EntryToKeep(const std::vector<const ListEntry*>& entries, Policy policy) {
  for (const ListEntry* entry : entries) {
    if (entry->policy == policy) return entry;
  }
  return entries.empty() ? nullptr : entries.front();
}

bool IsConditionField(std::string_view key) {
  for (const std::string_view field : kConditionFields) {
    if (field == key) return true;
  }
  return false;
}

std::string Slice(const PrecisionList& list, Span span) {
  return list.document.text.substr(span.begin, span.end - span.begin);
}

class ObjectText {
 public:
  void Add(std::string_view key, std::string_view json) {
    text_ += (text_.empty() ? "{" : ", ") + JsonQuote(key) + ": " + std::string(json);
    ++count_;
  }
  int count() const { return count_; }
  std::string Finish() const { return text_ + "}"; }

 private:
  std::string text_;
  int count_ = 0;
};

void AddCondition(const Classification& wanted, ObjectText& object) {
  object.Add("attribute", JsonQuote(wanted.attribute));
  object.Add("values", "[" + Join(wanted.values, ", ", JsonQuote) + "]");
  object.Add("then", JsonQuote(PolicyName(wanted.then)));
  if (wanted.otherwise) object.Add("otherwise", JsonQuote(PolicyName(*wanted.otherwise)));
}

// Returns whether the field is a reason for the entry's policy.
bool IsReasonField(std::string_view key) {
  return key == "reason" || key == "note" || key == "evidence";
}

// Returns whether the text of the old entry can stay.
bool KeepsText(const ListEntry& old, const Classification& wanted) {
  const bool has_reason = !old.reason.empty() || !old.note.empty() || !old.evidence.empty();
  if (old.policy != wanted.policy && has_reason) return false;
  if (!wanted.reason.empty() && wanted.reason != old.reason) return false;
  if (!wanted.note.empty() && wanted.note != old.note) return false;
  if (wanted.policy != Policy::kConditional) return old.policy != Policy::kConditional;
  if (old.policy != Policy::kConditional || old.clauses.size() != 1) return false;
  const Clause& clause = old.clauses.front();
  return clause.attribute == wanted.attribute && !clause.is_range &&
         clause.values == wanted.values && clause.then == wanted.then &&
         (!wanted.otherwise || *wanted.otherwise == old.otherwise);
}

// Returns the JSON text of an entry: the name, or an object on one line if there is more. Keeps the
// other fields of `old` unless it is nullptr, but drops its reasons if the policy changes. Returns
// the old text if nothing changes.
std::string EntryText(const PrecisionList& list, const ListEntry* old,
                      const Classification& wanted) {
  if (old != nullptr && KeepsText(*old, wanted)) return Slice(list, old->item);
  ObjectText object;
  object.Add("op", JsonQuote(wanted.op));
  if (wanted.policy == Policy::kConditional) AddCondition(wanted, object);
  if (!wanted.reason.empty()) object.Add("reason", JsonQuote(wanted.reason));
  if (!wanted.note.empty()) object.Add("note", JsonQuote(wanted.note));
  if (old != nullptr) {
    const JsonDocument item = *ParseItem(list, *old);
    const bool moves = old->policy != wanted.policy;
    for (const JsonMember& member : item.root.members) {
      const bool replaced = member.key == "op" || IsConditionField(member.key) ||
                            (moves && IsReasonField(member.key)) ||
                            (member.key == "reason" && !wanted.reason.empty()) ||
                            (member.key == "note" && !wanted.note.empty());
      if (!replaced) {
        object.Add(member.key, item.text.substr(member.value.span.begin, member.value.span.size()));
      }
    }
  }
  return object.count() == 1 ? JsonQuote(wanted.op) : object.Finish();
}

}  // namespace

std::optional<Classified> Classify(const PrecisionList& list, const Classification& wanted,
                                   Diagnostics& diagnostics) {
  const ListEntry* keeper = EntryToKeep(EntriesOf(list, wanted.op), wanted.policy);
  const std::string item = EntryText(list, keeper, wanted);
  const bool in_place = keeper != nullptr && keeper->policy == wanted.policy;
  Classified result;
  result.lost_reason = keeper != nullptr && keeper->policy != wanted.policy &&
                       wanted.reason.empty() && wanted.note.empty() &&
                       !(keeper->reason.empty() && keeper->note.empty());
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
  // Remove one at a time, because neighbors share a comma.
  while (true) {
    const std::vector<const ListEntry*> entries = EntriesOf(current, wanted.op);
    const ListEntry* kept = in_place ? EntryToKeep(entries, wanted.policy) : nullptr;
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
    return diagnostics.Error({list.path, 0, 0, 0, 0},
                             "the edit would not give the operator its policy",
                             "edit the file by hand");
  }
  result.location = entries.front()->location;
  result.text = std::move(current.document.text);
  return result;
}

std::optional<Edit> LikeliestEdit(const PrecisionList& list, const Finding& finding) {
  if (finding.candidates.empty()) return std::nullopt;
  const Candidate& best = finding.candidates.front();
  if (best.probability < 0.5 || best.policy == Policy::kConditional) return std::nullopt;
  Classification wanted;
  wanted.op = finding.op;
  wanted.policy = best.policy;
  Diagnostics ignored;
  if (IsKeptInRows(list, wanted.op)) {
    std::vector<PrecisionList> lists = {list};
    if (!ClassifyRow(lists, list.path, wanted, {list.path}, ignored)) return std::nullopt;
    for (const auto& [path, text] : lists.front().source_texts) {
      const std::string& before = *list.source_texts.at(path);
      if (*text != before) return EditBetween(path, before, *text);
    }
    return std::nullopt;
  }
  const std::optional<Classified> classified = Classify(list, wanted, ignored);
  if (!classified) return std::nullopt;
  return EditBetween(list.path, list.document.text, classified->text);
}

}  // namespace opledger
