// Edits precision lists with minimal changes: indentation, line ends, byte-order mark, order and
// the layout of arrays stay as they are.
//   "fp32": ["exp", "log"]  + classify erf as fp32  ->  "fp32": ["erf", "exp", "log"]
// May include: checker/findings, checker/terminal, registry/json, registry/list_source/names,
// registry/precision_list, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/findings/findings.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

// Parses the entry's text again, because the list does not keep its JSON. Returns nullopt if the
// entry was not read from a file.
std::optional<JsonDocument> ParseItem(const PrecisionList& list, const ListEntry& entry);

// Removes an entry and its comma from its file: the list's own file, or the source of a framework's
// row. Returns nullopt for an inherited entry and for a row that is not a literal.
std::optional<Edit> RemoveEntry(const PrecisionList& list, const ListEntry& entry);

// Renames an entry. Returns nullopt in the same cases as RemoveEntry().
std::optional<Edit> RenameEntry(const PrecisionList& list, const ListEntry& entry,
                                std::string_view name);

// Inserts the item `json` for the operator `op` under `policy`: at its place if the array is
// sorted, otherwise at the end. Adds the array if it is missing.
Edit InsertEntry(const PrecisionList& list, Policy policy, std::string_view op,
                 std::string_view json);

// Replaces the entry's item by `json`.
Edit ReplaceEntry(const PrecisionList& list, const ListEntry& entry, std::string_view json);

// Replaces the entry by entries with these names, in the file that holds it. Returns nullopt if it
// is a framework's row that cannot be edited.
std::optional<Edit> ReplaceEntry(const PrecisionList& list, const ListEntry& entry,
                                 const std::vector<std::string>& names);

// Returns the smallest edit that turns `before` into `after` without splitting a character or a
// line end.
Edit EditBetween(const std::string& path, std::string_view before, std::string_view after);

// Returns `text` after the edit.
std::string ApplyEdit(std::string text, const Edit& edit);

}  // namespace opledger
