// Edits of the rows that a framework keeps of a precision list: lines in Python lists, C++
// initialisers and macros, in the style of the lines around them.
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
  Span name;                        // of the row's name, in the text afterwards
  const ListEntry* like = nullptr;  // a row of the same list
};

// The names of the framework's lists that have the row there: several may be built of one.
std::set<std::string> ListsWithRowAt(const PrecisionList& list, const Location& place);

// All give none where the row, or the list, is no literal.
std::optional<Edit> RemoveRow(const PrecisionList& list, const ListEntry& row);
std::optional<Edit> RenameRow(const PrecisionList& list, const ListEntry& row, std::string_view op);
std::optional<Edit> ReplaceRow(const PrecisionList& list, const ListEntry& row,
                               const std::vector<std::string>& ops);

// Adds a row to the literal that has most rows of the policy: at its place where that is sorted,
// else at the end. `note` becomes its comment.
std::optional<AddedRow> InsertRow(const PrecisionList& list, Policy policy, std::string_view op,
                                  std::string_view note);

// A row to be written by people, since the rows of the policy are no literals: the line of another
// one with this name, and where that is.
struct RowToWrite {
  std::string line;
  Location like;
  bool conditional = false;  // all rows of the policy hold in some builds only
};
std::optional<RowToWrite> WriteLike(const PrecisionList& list, Policy policy, std::string_view op);

// Moves the rows of the file to where they are after the edit; those it takes out go.
void FollowEdit(const Edit& edit, PrecisionList& list);

}  // namespace opledger
