// Writing a list's entry.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/entry_text.h"

#include <string_view>

#include "registry/json/json_write.h"

namespace opledger {
namespace {

constexpr std::string_view kConditionFields[] = {"attribute", "values",    "range",
                                                 "then",      "otherwise", "clauses"};

bool IsConditionField(std::string_view key) {
  for (const std::string_view field : kConditionFields) {
    if (field == key) return true;
  }
  return false;
}

std::string Slice(const PrecisionList& list, Span span) {
  return list.document.text.substr(span.begin, span.end - span.begin);
}

// The item's value in the document, or nullptr.
const JsonValue* FindItem(const PrecisionList& list, const ListEntry& entry) {
  for (const JsonMember& member : list.document.root.members) {
    for (const JsonValue& item : member.value.items) {
      if (item.span.begin == entry.item.begin) return &item;
    }
  }
  return nullptr;
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
  std::string values;
  for (const std::string& value : wanted.values) {
    values += (values.empty() ? "" : ", ") + JsonQuote(value);
  }
  object.Add("values", "[" + values + "]");
  object.Add("then", JsonQuote(PolicyName(wanted.then)));
  if (wanted.otherwise) object.Add("otherwise", JsonQuote(PolicyName(*wanted.otherwise)));
}

// Whether the old entry can stay as it is written.
bool KeepsText(const ListEntry& old, const Classification& wanted) {
  if (!wanted.reason.empty() && wanted.reason != old.reason) return false;
  if (!wanted.note.empty() && wanted.note != old.note) return false;
  if (wanted.policy != Policy::kConditional) return old.policy != Policy::kConditional;
  if (old.policy != Policy::kConditional || old.clauses.size() != 1) return false;
  const Clause& clause = old.clauses.front();
  return clause.attribute == wanted.attribute && !clause.is_range &&
         clause.values == wanted.values && clause.then == wanted.then &&
         (!wanted.otherwise || *wanted.otherwise == old.otherwise);
}

}  // namespace

std::string EntryText(const PrecisionList& list, const ListEntry* old,
                      const Classification& wanted) {
  const JsonValue* item = old != nullptr ? FindItem(list, *old) : nullptr;
  if (item != nullptr && KeepsText(*old, wanted)) return Slice(list, item->span);
  ObjectText object;
  object.Add("op", JsonQuote(wanted.op));
  if (wanted.policy == Policy::kConditional) AddCondition(wanted, object);
  if (!wanted.reason.empty()) object.Add("reason", JsonQuote(wanted.reason));
  if (!wanted.note.empty()) object.Add("note", JsonQuote(wanted.note));
  if (item != nullptr) {
    for (const JsonMember& member : item->members) {
      const bool replaced = member.key == "op" || IsConditionField(member.key) ||
                            (member.key == "reason" && !wanted.reason.empty()) ||
                            (member.key == "note" && !wanted.note.empty());
      if (!replaced) object.Add(member.key, Slice(list, member.value.span));
    }
  }
  return object.count() == 1 ? JsonQuote(wanted.op) : object.Finish();
}

}  // namespace opledger
