// The rows of a macro that calls its parameter for each.
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
  std::size_t first = 0;  // token: the parameter
  std::size_t last = 0;   // token: the closing bracket
  std::string name;       // "pow.Scalar"; empty: it has other arguments than words
};

struct MacroRows {
  std::string parameter;
  std::vector<MacroRow> rows;
};

// The rows of the macro whose definition has the token.
std::optional<MacroRows> MacroRowsAround(const RowText& text, std::size_t token);

struct MacroEdit {
  Span span;
  std::string text;
  std::size_t name = 0;  // of an added row, from span.begin
};

MacroEdit RemoveMacroRow(const RowText& text, const MacroRows& macro, std::size_t row);

// Behind the row `after`, or in front of the first where it is none.
MacroEdit InsertMacroRow(const RowText& text, const MacroRows& macro,
                         std::optional<std::size_t> after, std::string_view name,
                         std::string_view note);

// "pow.Scalar" -> "pow, Scalar"
std::string MacroArguments(std::string_view name);

}  // namespace opledger
