// The operators that the lists of a Python test name, whatever else stands there.
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
  std::string name;  // with the classes around it: "AutocastTestLists.torch_fp32"
  Location location;
  std::vector<PlacedName> names;
};

// Lists, tuples and sets that are assigned to a name or an attribute of `self`, of the module, and
// of classes and functions. An item names an operator if it is a string, or a tuple or list
// that begins with one. None after a syntax error.
std::vector<TestList> ReadTestLists(std::string path, std::string text, Diagnostics& diagnostics);

}  // namespace opledger
