// What the lists of known frameworks are called and what they mean: the table behind
// `opledger import`. A framework more is rows more; --map adds rows for one run.
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
  std::string device;        // the device it is for; may be empty
};

// The built-in rows; the first that fits counts.
const std::vector<ListRule>& ListRules();

}  // namespace opledger
