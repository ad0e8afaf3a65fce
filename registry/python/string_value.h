// The value of a Python string literal.
//   'a\x41'  ->  aA
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

struct PythonStringValue {
  enum class State {
    kKnown,
    kUnknown,    // an escape names a character, or half of a pair, which UTF-8 cannot hold
    kMalformed,  // Python refuses it
  };
  std::string text;
  State state = State::kKnown;
};

// Of what stands between the quotes, with its escapes resolved. In bytes, only these: no \u, \N.
PythonStringValue DecodePythonString(std::string_view body, bool bytes);

// A line ends in \n whatever the file has.
std::string WithPythonLineEnds(std::string_view body);

}  // namespace opledger
