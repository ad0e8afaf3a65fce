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
std::optional<Walk> WalkOf(const Dimensions& shape, const Dimensions& strides);

// A copy's two walks, over the same sizes. None: as above.
struct WalkPair {
  Walk from;
  Walk to;
};
std::optional<WalkPair> WalksOf(const Dimensions& shape, const Dimensions& from,
                                const Dimensions& to);

// What a reduction keeps and what it goes over.
struct ReductionWalks {
  Walk groups;
  Walk members;
};
std::optional<ReductionWalks> ReductionWalksOf(const Dimensions& shape, const Integers& axes);

}  // namespace opledger::cuda
