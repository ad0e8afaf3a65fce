// The role of a framework's own list in a precision list.
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
    kPolicy,          // its operators have the policy
    kConditional,     // (operator, attribute, values): fp32 for these values, otherwise either
    kBanned,          // fp32, with a note that the framework rejects them
    kLoss,            // adds the reason "loss" to operators in other lists
    kKeepFp32Inputs,  // operator -> inputs that stay float32, for operators in other lists
    kIgnore,
  };
  Kind kind = Kind::kIgnore;
  Policy policy = Policy::kEither;  // for kPolicy, kConditional and kBanned

  // Returns whether its operators become entries. Otherwise it annotates entries, or is ignored.
  bool HasEntries() const {
    return kind == Kind::kPolicy || kind == Kind::kConditional || kind == Kind::kBanned;
  }
};

// "target", "fp32", "widest", "either", "conditional", "banned", "loss", "keep_fp32_inputs",
// "ignore".
std::optional<ListRole> ParseListRole(std::string_view text);
std::vector<std::string> ListRoleNames();

}  // namespace opledger
