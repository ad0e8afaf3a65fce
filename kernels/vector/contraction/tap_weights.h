// The weights of a convolution that adds up by channels, tap after tap.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "kernels/kernel/kernel.h"
#include "kernels/tensor/constant_tensor.h"

namespace opledger {

// Input 1 of a Conv, outputs x inputs x taps in `dtype`, as taps x inputs x outputs of float32;
// `inputs` are those of a group.
struct TapWeights {
  Dtype dtype = Dtype::kFloat32;
  std::size_t taps = 1;
  std::size_t inputs = 1;
  std::size_t outputs = 1;
  std::shared_ptr<ConstantTensor> known;  // packed once, where they are constants

  // Packs them, or keeps room for them after all that `prepared` has of a workspace.
  void Prepare(const Call& call, Prepared& prepared);
  // Those of a run, whose room begins at `own`.
  const float* Packed(const void* const* call_inputs, float* own) const;

 private:
  std::size_t Size() const { return taps * inputs * outputs; }
  void Pack(const void* from, float* to) const;
};

}  // namespace opledger
