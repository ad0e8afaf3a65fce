// Edits the rows of a macro that calls its parameter for each row.
//   #define AT_FORALL_FP32(_) _(acos) _(pow, Scalar)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/edit/row_text.h"

namespace opledger {

// `first` and `last` are indices into RowText::tokens().
struct MacroRow {
  std::size_t first = 0;  // the parameter that the row calls
  std::size_t last = 0;   // the closing parenthesis
  std::string name;       // such as "pow.Scalar"; empty if an argument is not a word
};

struct MacroRows {
  std::string parameter;  // the macro's parameter
  std::vector<MacroRow> rows;
};

// Returns the rows of the macro whose definition contains the token. Returns nullopt if no
// definition does, or if the macro does not have exactly one parameter.
std::optional<MacroRows> MacroRowsAround(const RowText& text, std::size_t token);

// Replaces `span` of the source by `text`.
struct MacroEdit {
  Span span;
  std::string text;
  std::size_t name = 0;  // offset of an added row's name from span.begin
};

// Removes the row with this index, and its line if nothing else is on it.
MacroEdit RemoveMacroRow(const RowText& text, const MacroRows& macro, std::size_t row);

// Inserts a row for `name` after the row with index `after`, or before the first if `after` is
// nullopt. If `note` is not empty, it follows the row as a comment.
MacroEdit InsertMacroRow(const RowText& text, const MacroRows& macro,
                         std::optional<std::size_t> after, std::string_view name,
                         std::string_view note);

// Turns "pow.Scalar" into "pow, Scalar".
std::string MacroArguments(std::string_view name);

}  // namespace opledger
