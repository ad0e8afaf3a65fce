// Reference kernels that compute each number by itself, and what is fused to a contraction. In:
// tensors of one shape, or broadcast; out: a tensor of numbers, each from those at its place.
// This header: fused calls by any kernel that serves the plain ones, the reference for those that
// do it faster.
// May include: kernels/arithmetic/loops, kernels/cpu/formulas, kernels/kernel, kernels/tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernel/fused_call.h"

namespace opledger {

// `plain` prepares the call without what is fused to it, in float32. The channels are dimension
// `channel` of the result.
Prepared PrepareFused(const Call& call, Prepare plain, std::size_t channel);

}  // namespace opledger
