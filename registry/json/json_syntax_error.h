// What is wrong with malformed JSON, where exactly, and what to do: the parser's terse message made
// into one for the author of the file.
//   ["a" "b"]  ->  expected ',' or ']', not a string; hint: put a comma before it
// It reads the words of nlohmann's exceptions; json_test.cpp pins each message, so that another
// version of the library with other words fails there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "registry/json/json.h"

namespace opledger {

struct JsonSyntaxError {
  Span span;
  std::string message = {};
  std::string hint = {};
};

// `read`: how many bytes the parser had read; `accepted`: the end of the last token it accepted,
// commas and colons aside; `detail`: its message ("unexpected ']'; expected string literal").
JsonSyntaxError DescribeSyntaxError(std::string_view text, std::size_t accepted, std::size_t read,
                                    std::string_view detail);

}  // namespace opledger
