// Python's number literals, as far as they are told from what follows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace opledger {

// The length of the number at the start of `text`, which begins with a digit or a '.' before one:
// 0x_FF, 1_000, .5e-3, 2j. A keyword may follow without a space, as in `1if`. 0 where it is
// malformed.
std::size_t PythonNumberLength(std::string_view text);

}  // namespace opledger
