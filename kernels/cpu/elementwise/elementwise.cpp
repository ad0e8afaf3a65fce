// Runs a fused call: the plain call in float32, then the fused operators in tiles.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/elementwise/elementwise.h"

#include <algorithm>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/cpu/formulas/unary_row.h"
#include "kernels/tensor/constant_tensor.h"

namespace opledger {
namespace {

struct FusedShape {
  Dtype dtype = Dtype::kFloat32;
  std::size_t sizes[2] = {};  // elements of the source and the weights
  std::size_t elements = 0;   // elements of the result
  std::size_t channels = 1;
  std::size_t inner_size = 1;  // adjacent elements of one channel
  bool scales = false;
  bool biased = false;
  bool adds = false;
  const UnaryFunction* activation = nullptr;
  double alpha = 0;
  double beta = 0;
  std::size_t plain_workspace = 0;  // in bytes

  bool IsWide() const { return dtype == Dtype::kFloat32; }
};

constexpr std::size_t kTile = 1024;

void FinishTile(const FusedShape& shape, const void* const* inputs, std::size_t at,
                std::size_t count, float* tile) {
  const auto* scale = static_cast<const float*>(shape.scales ? inputs[kFusedScale] : nullptr);
  const auto* bias = static_cast<const float*>(shape.biased ? inputs[kFusedBias] : nullptr);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t channel = (at + i) / shape.inner_size % shape.channels;
    if (scale != nullptr) tile[i] *= scale[channel];
    if (bias != nullptr) tile[i] += bias[channel];
  }
  if (shape.adds) {
    float addend[kTile];
    const auto* from = static_cast<const std::byte*>(inputs[kFusedAddend]);
    arithmetic::Upcast(shape.dtype, from + at * ElementSize(shape.dtype), addend, count);
    for (std::size_t i = 0; i < count; ++i) tile[i] += addend[i];
  }
  if (shape.activation != nullptr) shape.activation->row(tile, count, shape.alpha, shape.beta);
}

void RunFused(const FusedShape& shape, const Step& plain, const void* const* inputs,
              void* const* outputs, void* workspace) {
  auto* wide = reinterpret_cast<float*>(static_cast<std::byte*>(workspace) + shape.plain_workspace);
  const void* factors[2] = {inputs[0], inputs[1]};
  float* sums = wide;
  for (std::size_t i = 0; i < 2 && !shape.IsWide(); ++i) {
    arithmetic::Upcast(shape.dtype, inputs[i], sums, shape.sizes[i]);
    factors[i] = sums;
    sums += shape.sizes[i];
  }
  void* results[] = {sums};
  plain(factors, results, workspace);
  auto* out = static_cast<std::byte*>(outputs[0]);
  for (std::size_t at = 0; at < shape.elements; at += kTile) {
    const std::size_t count = std::min(kTile, shape.elements - at);
    FinishTile(shape, inputs, at, count, sums + at);
    arithmetic::Downcast(sums + at, shape.dtype, out + at * ElementSize(shape.dtype), count);
  }
}

}  // namespace

Prepared PrepareFused(const Call& call, Prepare plain, std::size_t channel) {
  FusedShape shape;
  shape.dtype = call.Input(0).dtype;
  Call inner = PlainCall(call);
  for (std::size_t i = 0; i < 2; ++i) {
    shape.sizes[i] = Elements(call.Shape(i));
    if (inner.inputs[i]) inner.inputs[i]->dtype = Dtype::kFloat32;
    inner.constants[i] = nullptr;
  }
  Prepared prepared = plain(inner);
  if (!prepared.refusal.ok()) return prepared;
  const Dimensions& result = prepared.outputs[0].dimensions;
  shape.elements = Elements(result);
  shape.channels = static_cast<std::size_t>(result[channel]);
  for (std::size_t d = channel + 1; d < result.size(); ++d) {
    shape.inner_size *= static_cast<std::size_t>(result[d]);
  }
  shape.scales = call.Has(kFusedScale);
  shape.biased = call.Has(kFusedBias);
  shape.adds = call.Has(kFusedAddend);
  const FusedActivation activation = ActivationOf(call);
  shape.activation = FindUnary(activation.name);
  if (shape.activation == nullptr && !activation.name.empty()) {
    return Refuse("its activation '" + activation.name + "' is not supported");
  }
  shape.alpha = activation.alpha;
  shape.beta = activation.beta;
  shape.plain_workspace = AlignedSize(prepared.workspace);
  const std::size_t factors = shape.IsWide() ? 0 : shape.sizes[0] + shape.sizes[1];
  prepared.workspace = shape.plain_workspace + (factors + shape.elements) * sizeof(float);
  prepared.outputs[0].dtype = shape.dtype;
  prepared.run = [shape, run = std::move(prepared.run)](const void* const* inputs,
                                                        void* const* outputs, void* workspace) {
    RunFused(shape, run, inputs, outputs, workspace);
  };
  return prepared;
}

}  // namespace opledger
