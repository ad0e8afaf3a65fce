// The weights of convolutions that sum by channels, tap by tap.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "kernels/kernel/kernel.h"
#include "kernels/tensor/constant_tensor.h"

namespace opledger {

// Reorders input 1 of a Conv from outputs x inputs x taps in `dtype` to taps x inputs x outputs in
// float32; `inputs` are those of a group.
struct TapWeights {
  Dtype dtype = Dtype::kFloat32;
  std::size_t taps = 1;
  std::size_t inputs = 1;
  std::size_t outputs = 1;
  std::shared_ptr<ConstantTensor> known;  // packed once if they are constant

  // Packs constant weights, or reserves memory for others at the end of the workspace of
  // `prepared`.
  void Prepare(const Call& call, Prepared& prepared);
  // Returns the weights for a run. `own`: the memory reserved for them.
  const float* Packed(const void* const* call_inputs, float* own) const;

 private:
  std::size_t Size() const { return taps * inputs * outputs; }
  void Pack(const void* from, float* to) const;
};

}  // namespace opledger
