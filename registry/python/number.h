// Scans number literals of Python.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace opledger {

// Returns the length of the number at the start of `text`, which begins with a digit or with a '.'
// before a digit: 0x_FF, 1_000, .5e-3, 2j. A keyword may follow without a space, as in `1if`.
// Returns 0 if the number is malformed.
std::size_t PythonNumberLength(std::string_view text);

}  // namespace opledger
