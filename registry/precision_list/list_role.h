// What one of a framework's own lists means in a precision list.
//   FP32_FUNCS -> fp32      LOSS_OUTPUT_FUNCTIONS -> loss
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/precision_list/policy.h"

namespace opledger {

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
  Policy policy = Policy::kEither;  // of kPolicy, kConditional and kBanned

  // Whether its names are entries; else it says something of entries, or nothing.
  bool HasEntries() const {
    return kind == Kind::kPolicy || kind == Kind::kConditional || kind == Kind::kBanned;
  }
};

// "target", "fp32", "widest", "either", "conditional", "banned", "loss", "keep_fp32_inputs",
// "ignore".
std::optional<ListRole> ParseListRole(std::string_view text);
std::vector<std::string> ListRoleNames();

}  // namespace opledger
