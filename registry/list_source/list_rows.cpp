// Converts rows to entries. Attribute values become text, as in models.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/list_rows.h"

#include <algorithm>

namespace opledger {
namespace {

using RowKind = LiteralValue::Kind;

bool IsSequence(const LiteralValue& value) {
  return value.kind == RowKind::kList || value.kind == RowKind::kTuple ||
         value.kind == RowKind::kSet;
}

}  // namespace

const std::string* ListRows::Name(const LiteralValue& value) const {
  if (value.kind != RowKind::kString || value.text.empty()) {
    unread_(value.location, "not an operator name", "");
    return nullptr;
  }
  if (value.joined) {
    odd_(value.location, "adjacent literals are joined to the name '" + value.text + "'",
         "add the missing comma, unless this is intended");
  }
  return &value.text;
}

std::vector<std::string> ListRows::Values(const LiteralValue& sequence) const {
  std::vector<std::string> values;
  for (const LiteralValue& value : sequence.items) {
    if (IsSequence(value) || value.kind == RowKind::kDict) {
      unread_(value.location, "the value of an attribute must be a string or a number", "");
    } else {
      values.push_back(value.text);
    }
  }
  return values;
}

// Reads ("operator", "attribute", ["value", ...]).
bool ListRows::ReadClause(const LiteralValue& value, ListEntry& entry) const {
  const std::vector<LiteralValue>& parts = value.items;
  const bool triple = value.kind == RowKind::kTuple && parts.size() == 3 &&
                      parts[1].kind == RowKind::kString && IsSequence(parts[2]);
  if (!triple) {
    unread_(value.location, "this is not a condition",
            "write ('operator', 'attribute', ['value', ...])");
    return false;
  }
  Clause& clause = entry.clauses.emplace_back();
  clause.attribute = parts[1].text;
  clause.values = Values(parts[2]);
  clause.location = parts[1].location;
  clause.then_location = parts[1].location;
  return true;
}

// Merges the clauses of the same operator into one entry.
bool ListRows::AddToConditional(const ListEntry& entry) {
  if (entry.policy != Policy::kConditional) return false;
  const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const ListEntry& other) {
    return other.policy == entry.policy && other.op == entry.op &&
           other.condition == entry.condition;
  });
  if (known == entries_.end()) return false;
  known->clauses.insert(known->clauses.end(), entry.clauses.begin(), entry.clauses.end());
  return true;
}

void ListRows::AddRow(const NamedList& list, const ListItem& item, const ListRole& role) {
  ListEntry entry;
  entry.policy = role.policy;
  entry.condition = item.feature;
  entry.source = list.name;
  const LiteralValue* name = item.key ? &*item.key : &item.value;
  if (role.kind == ListRole::Kind::kConditional) {
    if (!ReadClause(item.value, entry)) return;
    name = item.value.items.data();
  }
  const std::string* const op = Name(*name);
  if (op == nullptr) return;
  entry.op = *op;
  entry.location = name->location;
  if (role.kind == ListRole::Kind::kBanned) entry.note = "rejected by the framework's autocast";
  if (!AddToConditional(entry)) entries_.push_back(std::move(entry));
}

void ListRows::Add(const NamedList& list, const ListRole& role) {
  for (const ListItem& item : list.items) AddRow(list, item, role);
}

void ListRows::Mark(const NamedList& list, const ListRole& role) {
  const bool inputs = role.kind == ListRole::Kind::kKeepFp32Inputs;
  for (const ListItem& item : list.items) {
    if (inputs && (!item.key || !IsSequence(item.value))) {
      unread_(item.value.location, "not the inputs of an operator",
              "write 'operator': ['input', ...]");
      continue;
    }
    const LiteralValue& name = item.key ? *item.key : item.value;
    const std::string* const op = Name(name);
    if (op == nullptr) continue;
    bool found = false;
    for (ListEntry& entry : entries_) {
      if (entry.op != *op) continue;
      found = true;
      if (!inputs) {
        entry.reason = "loss";
        continue;
      }
      // Empty names are placeholders for inputs that are cast.
      entry.keep_fp32_inputs = Values(item.value);
      std::erase(entry.keep_fp32_inputs, "");
    }
    if (!found) {
      odd_(name.location, "'" + *op + "' is in '" + list.name + "' but not in a list of operators",
           "it is missing from the result");
    }
  }
}

}  // namespace opledger
