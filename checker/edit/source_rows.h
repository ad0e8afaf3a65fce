// Edits the rows of precision lists in the source of a framework: Python lists, C++ initializers
// and macros, in the style of the lines around them.
//   FP32 = ["exp", "sqrt"]  + log  ->  FP32 = ["exp", "log", "sqrt"]
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/findings/findings.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

// An edit that adds a row.
struct AddedRow {
  Edit edit;
  Span name;                        // span of the row's name after the edit
  const ListEntry* like = nullptr;  // another row of the same list
};

// Returns the names of the framework's lists that contain the row, because lists can share rows.
std::set<std::string> ListsWithRowAt(const PrecisionList& list, const Location& place);

// These return nullopt if the row or the list is not a literal.
std::optional<Edit> RemoveRow(const PrecisionList& list, const ListEntry& row);
std::optional<Edit> RenameRow(const PrecisionList& list, const ListEntry& row, std::string_view op);
std::optional<Edit> ReplaceRow(const PrecisionList& list, const ListEntry& row,
                               const std::vector<std::string>& ops);

// Adds a row to the literal with the most rows of the policy: in order if the rows are sorted,
// otherwise at the end. `note` becomes a comment. Returns nullopt if the policy is
// conditional, or if no row of it is in a literal.
std::optional<AddedRow> InsertRow(const PrecisionList& list, Policy policy, std::string_view op,
                                  std::string_view note);

// A row that the user has to write, because the rows of the policy are not literals: the text of
// another row with the new name, and where that row is.
struct RowToWrite {
  std::string line;
  Location like;
  bool conditional = false;  // all rows of the policy depend on a condition
};
// Returns nullopt if the list has no row of the policy, or if its text is not available.
std::optional<RowToWrite> WriteLike(const PrecisionList& list, Policy policy, std::string_view op);

// Moves the locations of rows in the file to where they are after the edit, and removes the entries
// of rows that it deletes.
void FollowEdit(const Edit& edit, PrecisionList& list);

}  // namespace opledger
