// The names and roles of the lists of known frameworks, for `opledger import`. To support a
// framework, add rows; --map adds rows for one run.
//   mxnet  FP16_FUNCS -> target      mxnet  LOSS_OUTPUT_FUNCTIONS -> loss
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/precision_list/list_role.h"

namespace opledger {

struct ListRule {
  std::string framework;  // dialect name
  std::string name;       // glob over the module's names
  ListRole role;
  std::string target_dtype;  // the 16-bit type in its name; may be empty
  std::string device;        // the device that it applies to; may be empty
};

// Returns the built-in rules. The first that matches is used.
const std::vector<ListRule>& ListRules();

}  // namespace opledger
