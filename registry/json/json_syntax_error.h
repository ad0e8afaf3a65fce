// Describes errors in malformed JSON: what is wrong, where, and how to fix it. Rewrites the
// parser's terse message for the author of the file.
//   ["a" "b"]  ->  expected ',' or ']', not a string; hint: put a comma before it
// Depends on the wording of nlohmann's exceptions. json_test.cpp checks each message, so that a
// version of the library with other wording fails there.
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

// `read`: number of bytes that the parser has read. `accepted`: end of the last token that it
// accepted, except commas and colons. `detail`: its message ("unexpected ']'; expected string
// literal").
JsonSyntaxError DescribeSyntaxError(std::string_view text, std::size_t accepted, std::size_t read,
                                    std::string_view detail);

}  // namespace opledger
