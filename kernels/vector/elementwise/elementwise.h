// Kernels of the CPU's vector instructions that compute each number by itself, or move it. In: rows
// of float32, or of 16-bit floats in tiles; out: the bits of the reference.
// May include: kernels/arithmetic/elementary, kernels/arithmetic/loops, kernels/cpu/elementwise,
// kernels/cpu/formulas, kernels/cpu/move, kernels/kernel, kernels/tensor, kernels/vector/rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace opledger {

// out = f(in), n numbers; in and out are the same row or do not overlap. alpha and beta as in
// kernels/cpu/formulas/unary_formulas.h; of Clip, its bounds.
using VectorRow = void (*)(const float* in, float* out, std::size_t n, float alpha, float beta);

// Of the kernel of that name, with the bits of its formula; nullptr: there is none.
VectorRow FindVectorRow(std::string_view kernel);

}  // namespace opledger
