// Vector kernels that compute each element independently, or move elements. In: rows of float32, or
// of 16-bit floats in tiles; out: the same bits as the reference.
// May include: kernels/arithmetic/elementary, kernels/arithmetic/loops, kernels/cpu/elementwise,
// kernels/cpu/formulas, kernels/cpu/move, kernels/kernel, kernels/tensor, kernels/vector/rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace opledger {

// out = f(in) for n elements; in and out are the same row or do not overlap. alpha and beta as in
// kernels/cpu/formulas/unary_formulas.h; for Clip, its bounds.
using VectorRow = void (*)(const float* in, float* out, std::size_t n, float alpha, float beta);

// Returns the row function of a kernel, with the bits of its formula, or nullptr if there is none.
VectorRow FindVectorRow(std::string_view kernel);

}  // namespace opledger
