// What frameworks call the operators that our kernels compute.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "registry/precision_list/precision_list.h"

namespace opledger {

// The policy a list gives to what `kernel` computes, and the name it has there.
struct ListedPolicy {
  std::string op;
  Policy policy = Policy::kEither;
};
// None: the list names no such operator.
std::optional<ListedPolicy> PolicyInList(const PrecisionList& list, std::string_view kernel);

}  // namespace opledger
