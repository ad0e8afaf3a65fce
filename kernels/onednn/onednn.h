// Matrix products and convolutions by oneDNN. In: a call, plain or fused; out: a primitive that
// runs it. 16 bits as they are where that pays on this machine (probe.h); else such factors
// converted, the product in float32, the result rounded. This header: a contraction by a primitive,
// whatever the element type.
// May include: kernels/arithmetic/loops, kernels/cpu/formulas, kernels/cpu/window, kernels/kernel,
// kernels/machine, kernels/tensor, kernels/vector/elementwise, kernels/vector/rows, registry/files,
// registry/platform, registry/project, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "kernels/kernel/kernel.h"
#include "kernels/onednn/primitive.h"

namespace opledger::onednn {

// The type that primitives for calls of `dtype` read: that, or float32.
Dtype ComputedIn(Dtype dtype);

// The epilogue of a fused call as far as oneDNN has it; without the addend and what follows it
// unless `adds`. What is left FinishContraction does.
Epilogue EpilogueOf(const Call& call, bool adds);

// The type that a primitive is to give: float32 where something is left to be done before the
// rounding.
Dtype ResultIn(const Call& call, const Epilogue& epilogue);

// The weights of a call as its primitive reads them, times the scale of a fused call where they
// are float32 (`channel_size`: numbers of one channel that stand together; channels follow each
// other every `channels` of those).
struct Weights {
  std::vector<float> wide;
  const void* data = nullptr;
};
Weights WeightsOf(const Call& call, std::size_t channels, std::size_t channel_size);

// The prepared call. `primitive` is what was made for it, or nullptr; `result` its type. Inputs
// that are constant and that the primitive takes are fixed here: weights as `weights` gives them.
struct Contraction {
  std::shared_ptr<Primitive> primitive;
  TensorType result;
  Epilogue epilogue;  // of the primitive
  bool fixes_weights = false;
  Weights weights;
};
Prepared FinishContraction(const Call& call, const Contraction& contraction);

// Why a call cannot be served: something that has to be known when it is planned is not.
bool TakesUnknown(const Call& call);

}  // namespace opledger::onednn
