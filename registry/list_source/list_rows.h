// Converts the rows of a framework's own lists to entries of a precision list.
//   FP32_FUNCS = ["exp"] with the role "fp32"  ->  {"op": "exp"} under "fp32"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "registry/list_source/list_module.h"
#include "registry/precision_list/list_role.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

// Called with a message about a row.
using TellOfRow =
    std::function<void(const Location& place, const std::string& message, const std::string& hint)>;

class ListRows {
 public:
  // `unread` is called for each row that is not an entry, `odd` for each entry that looks wrong.
  ListRows(TellOfRow unread, TellOfRow odd) : unread_(std::move(unread)), odd_(std::move(odd)) {}

  // Adds the rows of a list as entries.
  void Add(const NamedList& list, const ListRole& role);
  // Annotates entries by a list with another role. Must be called after all lists have been added.
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
