// Reference kernels that compute each element independently, and operators fused to a contraction.
// In: tensors of one shape, or broadcast; out: a tensor whose elements depend on those at their
// place. This header: fused calls by any kernel that serves the plain ones, the reference for
// faster ones.
// May include: kernels/arithmetic/loops, kernels/cpu/formulas, kernels/kernel, kernels/tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernel/fused_call.h"

namespace opledger {

// `plain` prepares the call in float32 without the fused operators. The channels are dimension
// `channel` of the result.
Prepared PrepareFused(const Call& call, Prepare plain, std::size_t channel);

}  // namespace opledger
