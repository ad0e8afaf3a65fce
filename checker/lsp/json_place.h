// Locates a cursor in JSON text that may be half written: the keys that lead to it, whether a key
// or a value is expected, and the part of it that is written.
//   {"fp32": [{"op": "ex|     -> keys {"fp32", "", "op"}, a value, "ex"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "registry/text/location.h"

namespace opledger {

struct JsonPlace {
  std::vector<std::string> keys;  // from the root; "" for items of an array
  bool is_key = false;            // the cursor is on the key of an object
  bool in_string = false;
  bool closed = false;  // the string ends with a quote on its line
  std::string value;    // the string or word at the cursor
  Span span;            // its span in the text, including quotes
  // String members written earlier in the same object, such as "op" and its name.
  std::vector<std::pair<std::string, std::string>> before;
  std::vector<std::string> keys_there;  // all keys written earlier in that object
};

// An unclosed string ends with its line. Levels deeper than 128 are not distinguished.
JsonPlace JsonPlaceAt(std::string_view text, std::size_t offset);

// Returns whether the name of an operator is expected here in a precision list.
bool NamesOperator(const JsonPlace& place);

}  // namespace opledger
