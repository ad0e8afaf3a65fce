// Where a cursor stands in JSON text that may be half written: which keys lead there, whether a key
// or a value stands there, and what of it is written.
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
  std::vector<std::string> keys;  // from the root; of an array's items ""
  bool is_key = false;            // what stands there is the key of an object
  bool in_string = false;
  bool closed = false;  // that string ends with a quote on its line
  std::string value;    // of the string, or the word there
  Span span;            // of it in the text, with its quotes
  // Members of the object around it that are written before it and are strings: "op", its name.
  std::vector<std::pair<std::string, std::string>> before;
  std::vector<std::string> keys_there;  // all keys of that object that stand before it
};

// An unclosed string ends with its line. Objects and arrays deeper than 128 are not told apart.
JsonPlace JsonPlaceAt(std::string_view text, std::size_t offset);

// Of a precision list: whether the name of an operator stands there.
bool NamesOperator(const JsonPlace& place);

}  // namespace opledger
