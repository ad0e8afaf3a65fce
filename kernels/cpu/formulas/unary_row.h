// Unary functions applied to rows in place, for kernels with a fused activation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace opledger {

// Works in place; `numbers` are float32 or double, as the row is instantiated.
using UnaryRow = void (*)(void* numbers, std::size_t count, double alpha, double beta);

struct UnaryFunction {
  UnaryRow row;  // for float32
  double alpha;  // default
  double beta;
};

// Returns the function of a kernel, or Clip, whose alpha and beta are its bounds, or nullptr if
// there is none.
const UnaryFunction* FindUnary(std::string_view kernel);

}  // namespace opledger
