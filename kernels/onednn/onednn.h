// Matrix products and convolutions by oneDNN. In: a call, plain or fused; out: a primitive that
// runs it. 16-bit types are used directly where that pays on this machine (probe.h); otherwise
// factors are converted, multiplied in float32, and the result is rounded. This header: a
// contraction by a primitive, for any element type.
// May include: kernels/arithmetic/loops, kernels/cpu/formulas, kernels/cpu/window, kernels/kernel,
// kernels/machine, kernels/tensor, kernels/vector/elementwise, kernels/vector/rows, registry/files,
// registry/platform, registry/project, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "kernels/kernel/kernel.h"
#include "kernels/onednn/primitive.h"

namespace opledger::onednn {

// Returns the type that primitives read for calls of `dtype`: `dtype` or float32.
Dtype ComputedIn(Dtype dtype);

// Returns the part of a fused call's epilogue that oneDNN supports; without the addend and what
// follows it unless `adds`. FinishContraction does the rest.
Epilogue EpilogueOf(const Call& call, bool adds);

// Returns the result type of a primitive: float32 if part of the epilogue remains to be done before
// rounding.
Dtype ResultIn(const Call& call, const Epilogue& epilogue);

// The weights of a call as its primitive reads them, multiplied by the scale of a fused call if
// they are float32. `channel_size`: adjacent elements of one channel; the weights are a sequence of
// blocks of `channels` of these.
struct Weights {
  std::vector<float> wide;
  const void* data = nullptr;
};
Weights WeightsOf(const Call& call, std::size_t channels, std::size_t channel_size);

// A call to be prepared. `primitive` is nullptr if oneDNN cannot make one; `result` is the output
// type. Constant inputs that the primitive takes are fixed here, weights as `weights` holds them.
struct Contraction {
  std::shared_ptr<Primitive> primitive;
  TensorType result;
  Epilogue epilogue;  // of the primitive
  bool fixes_weights = false;
  Weights weights;
};
Prepared FinishContraction(const Call& call, const Contraction& contraction);

// Returns whether the call has a bias or a scale that is not constant.
bool TakesUnknown(const Call& call);

}  // namespace opledger::onednn
