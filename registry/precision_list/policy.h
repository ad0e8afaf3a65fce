// The policy of an operator in a precision list. Every operator has exactly one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace opledger {

enum class Policy {
  kTarget,       // run in the list's 16-bit type
  kFp32,         // run in float32
  kWidest,       // run in the widest type among the inputs
  kConditional,  // a policy that depends on attributes or inputs
  kEither,       // left unchanged: type-neutral, or never in a graph
};

inline constexpr Policy kPolicies[] = {Policy::kTarget, Policy::kFp32, Policy::kWidest,
                                       Policy::kConditional, Policy::kEither};

// Returns "target", "fp32", "widest", "conditional" or "either", which are also the field names in
// a list file.
const char* PolicyName(Policy policy);
// Returns nullopt if there is no such policy.
std::optional<Policy> ParsePolicy(std::string_view name);

}  // namespace opledger
