// Reference kernels that move numbers or make them up: transposes, slices, pads, gathers, scatters,
// ranges. In: a tensor, indices; out: its numbers in other places, unchanged but where a scatter
// reduces. This header: kernels that are one copy between strided tensors.
// May include: kernels/cpu/elementwise, kernels/cpu/formulas, kernels/kernel, kernels/tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "kernels/kernel/kernel.h"
#include "kernels/tensor/strided_copy.h"

namespace opledger {

// From input 0 to output 0, which has the copy's shape; none, with why: the call is no such copy.
StatusOr<StridedCopy> CopyOfTranspose(const Call& call);
StatusOr<StridedCopy> CopyOfSlice(const Call& call);
StatusOr<StridedCopy> CopyOfExpand(const Call& call);

}  // namespace opledger
