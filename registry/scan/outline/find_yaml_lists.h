// Reads lists of strings in YAML.
//   amp: {fp32: [exp, log]}      ->  amp.fp32: exp, log
//   ops: {exp: fp32, conv: low}  ->  ops.fp32: exp; ops.low: conv
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "registry/dialect/cpp_lists.h"

namespace opledger::scan {

// Returns the lists of strings in the text. For an item that is a mapping, the value of "op",
// "func" or "name" is the string, up to a '('. Returns an empty vector if the text is malformed.
std::vector<CppList> FindYamlLists(std::string_view text);

}  // namespace opledger::scan
