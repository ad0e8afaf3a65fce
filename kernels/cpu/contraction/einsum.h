// The equation of an Einsum.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/kernel/kernel.h"

namespace opledger {

// Which letter each dimension has; those of an ellipsis are '0', '1', ... from the last one back.
struct EinsumTerms {
  std::vector<std::string> inputs;
  std::string output;
};

// Of a call with the parameter "equation"; none: it does not fit the ranks of its inputs.
std::optional<EinsumTerms> ReadEquation(const Call& call);

}  // namespace opledger
