// Steps through tensors as the module takes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kernels/cuda/module/module.h"
#include "kernels/kernel/parameters.h"
#include "kernels/tensor/tensor.h"

namespace opledger::cuda {

// Both dense and strided steps of a shape, without dimensions of 1; those that step on alike are
// one. None: there are more than the module takes.
std::optional<StridedLayout> StridedLayoutOf(const Dimensions& shape, const Dimensions& strides);

// A copy's two layouts, over the same sizes. None: as above.
struct CopyLayouts {
  StridedLayout from;
  StridedLayout to;
};
std::optional<CopyLayouts> CopyLayoutsOf(const Dimensions& shape, const Dimensions& from,
                                         const Dimensions& to);

// What a reduction keeps and what it goes over.
struct ReductionLayouts {
  StridedLayout groups;
  StridedLayout members;
};
std::optional<ReductionLayouts> ReductionLayoutsOf(const Dimensions& shape, const Integers& axes);

}  // namespace opledger::cuda
