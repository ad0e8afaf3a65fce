// The functions of one number as rows in place, for kernels that apply one to what they computed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace opledger {

// `numbers` are float32, or double, as the row is made for; in place.
using UnaryRow = void (*)(void* numbers, std::size_t count, double alpha, double beta);

struct UnaryFunction {
  UnaryRow row;  // of float32
  double alpha;  // where the parameter is not said
  double beta;
};

// Of the kernel of that name, or Clip, whose alpha and beta are its bounds; nullptr: there is none.
const UnaryFunction* FindUnary(std::string_view kernel);

}  // namespace opledger
