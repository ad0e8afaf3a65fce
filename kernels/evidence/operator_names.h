// Maps our kernels to frameworks' names of operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "registry/precision_list/precision_list.h"

namespace opledger {

// A list's policy for the operator that `kernel` computes, and its name in the list.
struct ListedPolicy {
  std::string op;
  Policy policy = Policy::kEither;
};
// Returns nullopt if the list has no such operator.
std::optional<ListedPolicy> PolicyInList(const PrecisionList& list, std::string_view kernel);

}  // namespace opledger
