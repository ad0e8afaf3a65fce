// Activations with parameters, of rows of float32.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace opledger {

// out = f(in), n numbers; in and out are the same row or do not overlap. alpha and beta as in
// kernels/cpu/formulas/unary_formulas.h; of Clip, its bounds.
using ActivationRow = void (*)(const float* in, float* out, std::size_t n, float alpha, float beta);

// Of the kernel of that name, with the bits of its formula; nullptr: there is none.
ActivationRow FindActivationRow(std::string_view kernel);

}  // namespace opledger
