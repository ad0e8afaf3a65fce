// Strided layouts in the form that the module takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kernels/cuda/module/module.h"
#include "kernels/kernel/parameters.h"
#include "kernels/tensor/tensor.h"

namespace opledger::cuda {

// Returns the layout of a tensor, without dimensions of 1 and with dimensions of a common stride
// merged, or nullopt if the layout has more dimensions than the module takes.
std::optional<StridedLayout> StridedLayoutOf(const Dimensions& shape, const Dimensions& strides);

// The two layouts of a copy, with the same sizes. Returns nullopt as above.
struct CopyLayouts {
  StridedLayout from;
  StridedLayout to;
};
std::optional<CopyLayouts> CopyLayoutsOf(const Dimensions& shape, const Dimensions& from,
                                         const Dimensions& to);

// The dimensions that a reduction keeps, and those that it reduces.
struct ReductionLayouts {
  StridedLayout groups;
  StridedLayout members;
};
std::optional<ReductionLayouts> ReductionLayoutsOf(const Dimensions& shape, const Integers& axes);

}  // namespace opledger::cuda
