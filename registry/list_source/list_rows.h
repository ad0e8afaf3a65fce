// The rows of a framework's own lists as entries of a precision list.
//   FP32_FUNCS = ["exp"], which is "fp32"  ->  {"op": "exp"} under "fp32"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "registry/list_source/list_module.h"
#include "registry/precision_list/list_role.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

// What is said of a row, and where.
using TellOfRow =
    std::function<void(const Location& place, const std::string& message, const std::string& hint)>;

class ListRows {
 public:
  // `unread` is called for each row that is no entry, `odd` for one that is, but looks wrong.
  ListRows(TellOfRow unread, TellOfRow odd) : unread_(std::move(unread)), odd_(std::move(odd)) {}

  // Adds the rows of a list that has entries.
  void Add(const NamedList& list, const ListRole& role);
  // Adds what a list of another role says of entries. To be called when all have been added.
  void Mark(const NamedList& list, const ListRole& role);

  std::vector<ListEntry> Take() { return std::move(entries_); }

 private:
  const std::string* Name(const LiteralValue& value) const;
  void AddRow(const NamedList& list, const ListItem& item, const ListRole& role);
  bool AddToConditional(const ListEntry& entry);
  bool ReadClause(const LiteralValue& value, ListEntry& entry) const;
  std::vector<std::string> Values(const LiteralValue& sequence) const;

  TellOfRow unread_;
  TellOfRow odd_;
  std::vector<ListEntry> entries_;
};

}  // namespace opledger
