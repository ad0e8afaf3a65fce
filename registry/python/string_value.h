// Computes the value of a Python string literal.
//   'a\x41'  ->  aA
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

struct PythonStringValue {
  enum class State {
    kKnown,
    kUnknown,    // has a named character, or a surrogate, which UTF-8 cannot encode
    kMalformed,  // rejected by Python
  };
  std::string text;
  State state = State::kKnown;
};

// Resolves the escapes in the text between the quotes. In bytes, \u and \N are not escapes.
PythonStringValue DecodePythonString(std::string_view body, bool bytes);

// Normalizes line ends to \n.
std::string WithPythonLineEnds(std::string_view body);

}  // namespace opledger
