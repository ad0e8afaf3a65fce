// What the lists of known frameworks are called and what they mean: the table behind
// `opledger import`. A framework more is rows more; --map adds rows for one run.
//   mxnet  FP16_FUNCS -> target      mxnet  LOSS_OUTPUT_FUNCTIONS -> loss
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/precision_list/policy.h"

namespace opledger {

// What a list of a module is to a precision list.
struct ListRole {
  enum class Kind {
    kPolicy,          // its names have the policy
    kConditional,     // (operator, attribute, values): fp32 for these, otherwise either
    kBanned,          // fp32, with a note that the framework refuses them
    kLoss,            // reason "loss" for operators that stand in another list
    kKeepFp32Inputs,  // operator -> inputs that stay float32, likewise
    kIgnore,
  };
  Kind kind = Kind::kIgnore;
  Policy policy = Policy::kEither;  // of kPolicy
};

struct ListRule {
  std::string framework;  // dialect name
  std::string name;       // glob over the module's names
  ListRole role;
  std::string target_dtype;  // the 16-bit type in its name; may be empty
  std::string device;        // the device it is for; may be empty
};

// The built-in rows; the first that fits counts.
const std::vector<ListRule>& ListRules();

// "target", "fp32", "widest", "either", "conditional", "banned", "loss", "keep_fp32_inputs",
// "ignore".
std::optional<ListRole> ParseListRole(std::string_view text);
std::vector<std::string> ListRoleNames();

}  // namespace opledger
