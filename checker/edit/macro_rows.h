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

struct MacroRow {
  std::size_t first = 0;  // token of the parameter
  std::size_t last = 0;   // token of the closing parenthesis
  std::string name;       // such as "pow.Scalar"; empty if arguments are not words
};

struct MacroRows {
  std::string parameter;
  std::vector<MacroRow> rows;
};

// Returns the rows of the macro whose definition contains the token.
std::optional<MacroRows> MacroRowsAround(const RowText& text, std::size_t token);

struct MacroEdit {
  Span span;
  std::string text;
  std::size_t name = 0;  // offset of an added row's name from span.begin
};

MacroEdit RemoveMacroRow(const RowText& text, const MacroRows& macro, std::size_t row);

// Inserts a row after the row `after`, or before the first if it is nullopt.
MacroEdit InsertMacroRow(const RowText& text, const MacroRows& macro,
                         std::optional<std::size_t> after, std::string_view name,
                         std::string_view note);

// Turns "pow.Scalar" into "pow, Scalar".
std::string MacroArguments(std::string_view name);

}  // namespace opledger
