// Edits of a precision list that touch no byte they need not: indentation, line ends, byte-order
// mark, order and one-line or many-line arrays stay as they are.
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

// The entry's own text, read again: the list's tree has no items. None: it was read from no file.
std::optional<JsonDocument> ParseItem(const PrecisionList& list, const ListEntry& entry);

// Takes one entry out of the file that has it, with its comma: the list's own file or, of a row of
// the framework's list, that. None for an inherited entry, and for a row that is no literal.
std::optional<Edit> RemoveEntry(const PrecisionList& list, const ListEntry& entry);

// Gives one entry another name. None as above.
std::optional<Edit> RenameEntry(const PrecisionList& list, const ListEntry& entry,
                                std::string_view name);

// Puts the item `json` (JSON text that names the operator `op`) under `policy`: at its place where
// the array is sorted, else at the end. A missing array is added.
Edit InsertEntry(const PrecisionList& list, Policy policy, std::string_view op,
                 std::string_view json);

// Puts `json` in the place of the entry's item.
Edit ReplaceEntry(const PrecisionList& list, const ListEntry& entry, std::string_view json);

// Puts entries of these names there, in the file that has the entry. None where it cannot be done.
std::optional<Edit> ReplaceEntry(const PrecisionList& list, const ListEntry& entry,
                                 const std::vector<std::string>& names);

// The one edit that makes `after` of `before`; it cuts no character and no line end in two.
Edit EditBetween(const std::string& path, std::string_view before, std::string_view after);

std::string ApplyEdit(std::string text, const Edit& edit);

}  // namespace opledger
