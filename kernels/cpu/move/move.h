// Reference kernels that move elements or generate them: transposes, slices, pads, gathers,
// scatters, ranges. In: a tensor, indices; out: its elements in other places, unchanged unless a
// scatter reduces. This header: kernels that are one copy between strided tensors.
// May include: kernels/cpu/elementwise, kernels/cpu/formulas, kernels/kernel, kernels/tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernel/kernel.h"
#include "kernels/tensor/strided_copy.h"

namespace opledger {

// Return a copy from input 0 to output 0, whose shape is that of the copy. Return an error if the
// call is invalid.
StatusOr<StridedCopy> CopyOfTranspose(const Call& call);
StatusOr<StridedCopy> CopyOfSlice(const Call& call);
StatusOr<StridedCopy> CopyOfExpand(const Call& call);

}  // namespace opledger
