// Reads the operators that lists in a Python test name, ignoring other contents of the lists.
//   self.torch_fp32 = [("exp", pointwise),       ->  torch_fp32: exp, pow
//                      ("pow", pointwise + (1.7,))]
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/precision_list/naming_file.h"
#include "registry/text/diagnostics.h"

namespace opledger {

struct TestList {
  std::string name;  // qualified by classes: "AutocastTestLists.torch_fp32"
  Location location;
  std::vector<PlacedName> names;
};

// Returns lists, tuples and sets that the module, its classes and functions assign to names or
// attributes of `self`. An item names an operator if it is a string, or a tuple or list that begins
// with one. Returns an empty vector after a syntax error.
std::vector<TestList> ReadTestLists(std::string path, std::string text, Diagnostics& diagnostics);

}  // namespace opledger
