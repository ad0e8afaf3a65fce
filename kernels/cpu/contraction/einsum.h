// Parses the equation of an Einsum.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/kernel/kernel.h"

namespace opledger {

// The letter of each dimension. Those of an ellipsis are '0', '1', ..., from the last one
// backwards.
struct EinsumTerms {
  std::vector<std::string> inputs;
  std::string output;
};

// Reads the parameter "equation". Returns nullopt if it does not fit the ranks of the inputs.
std::optional<EinsumTerms> ReadEquation(const Call& call);

}  // namespace opledger
