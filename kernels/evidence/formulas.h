// Operators step by step, as a kernel computes them that rounds every intermediate result to its
// 16-bit type: what to expect where nothing is known of a kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/tensor/constant_tensor.h"

namespace opledger {

// The operator's result in float64 numbers, out of inputs in float64 numbers that the 16-bit type
// holds. Rows are the last dimension of the first input that is not 1.
using StepsOfInputs = std::vector<double> (*)(const std::vector<ConstantTensor>& inputs);

struct Formula {
  StepsOfInputs float16 = nullptr;  // nullptr: there is none
  StepsOfInputs bfloat16 = nullptr;
};

// By the kernel's name: of a function of one number, its row of unary_formulas.h. None: it has one
// step, or is nothing but sums of products, which are added up in float32 everywhere.
Formula FormulaOf(const char* kernel);

}  // namespace opledger
