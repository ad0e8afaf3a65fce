// The names of the five policies.
// SPDX-License-Identifier: Apache-2.0
#include "registry/precision_list/policy.h"

namespace opledger {

const char* PolicyName(Policy policy) {
  switch (policy) {
    case Policy::kTarget:
      return "target";
    case Policy::kFp32:
      return "fp32";
    case Policy::kWidest:
      return "widest";
    case Policy::kConditional:
      return "conditional";
    case Policy::kEither:
      return "either";
  }
  return "either";
}

std::optional<Policy> ParsePolicy(std::string_view name) {
  for (const Policy policy : kPolicies) {
    if (name == PolicyName(policy)) return policy;
  }
  return std::nullopt;
}

}  // namespace opledger
