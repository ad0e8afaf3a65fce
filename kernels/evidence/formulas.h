// Formulas of operators, step by step, as computed by a kernel that rounds every intermediate
// result to its 16-bit type: what to expect if nothing is known about a kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/tensor/constant_tensor.h"

namespace opledger {

// Computes the operator's result in float64 from float64 inputs that the 16-bit type can represent.
// A row is the last dimension of the first input that is not 1.
using StepsOfInputs = std::vector<double> (*)(const std::vector<ConstantTensor>& inputs);

struct Formula {
  StepsOfInputs float16 = nullptr;  // nullptr: none
  StepsOfInputs bfloat16 = nullptr;
};

// Returns the formula by the kernel's name; for a unary function it is the row of unary_formulas.h.
// Returns no formula if the kernel has a single step, or only sums products, which every
// implementation accumulates in float32.
Formula FormulaOf(const char* kernel);

}  // namespace opledger
