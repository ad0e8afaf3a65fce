// CrossEntropy: the negative log-probability of each target, from log-probabilities or scores.
// https://onnx.ai/onnx/operators/onnx__SoftmaxCrossEntropyLoss.html
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <optional>
#include <string>

#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/move/indices.h"
#include "kernels/cpu/reduce/reduce.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

enum class LossReduction { kNone, kSum, kMean };

struct LossShape {
  std::size_t batches = 0;
  std::size_t classes = 0;
  std::size_t pixels = 0;  // per batch
  bool softmax = false;
  bool has_weights = false;
  bool wide = false;  // targets are int64; otherwise int32
  std::optional<std::int64_t> ignored;
  LossReduction reduction = LossReduction::kMean;

  std::size_t Positions() const { return batches * pixels; }
  std::size_t At(std::size_t position, std::size_t of_class) const {
    return (position / pixels * classes + of_class) * pixels + position % pixels;
  }
};

// Computes the values to subtract from the scores of each position to make them log-probabilities.
template <typename T>
void LogSums(const LossShape& shape, const T* in, Computed<T>* sums) {
  using V = Computed<T>;
  for (std::size_t i = 0; i < shape.Positions(); ++i) {
    V max = -std::numeric_limits<V>::infinity();
    for (std::size_t c = 0; c < shape.classes; ++c) {
      max = function::Maximum(max, Load(in[shape.At(i, c)]));
    }
    const V sum = SumByTree<V>(shape.classes, [&](std::size_t c) {
      return function::Exp(Load(in[shape.At(i, c)]) - max);
    });
    sums[i] = shape.softmax ? max + function::Log(sum) : V(0);
  }
}

// Inputs: x, targets, weights. Outputs: the loss, the log-probabilities. The workspace has three
// elements per position: its logarithm, its loss and its weight.
template <typename T>
void RunCrossEntropy(const LossShape& shape, const void* const* inputs, void* const* outputs,
                     Computed<T>* workspace) {
  using V = Computed<T>;
  const auto* in = static_cast<const T*>(inputs[0]);
  const auto* weights = shape.has_weights ? static_cast<const T*>(inputs[2]) : nullptr;
  const std::size_t positions = shape.Positions();
  V* sums = workspace;
  V* losses = sums + positions;
  V* factors = losses + positions;
  LogSums(shape, in, sums);
  for (std::size_t i = 0; i < positions; ++i) {
    const std::int64_t target = IndexAt(inputs[1], shape.wide, i);
    losses[i] = factors[i] = 0;
    if (shape.ignored && target == *shape.ignored) continue;
    if (target < 0 || target >= static_cast<std::int64_t>(shape.classes)) continue;
    const auto of_class = static_cast<std::size_t>(target);
    factors[i] = weights == nullptr ? V(1) : Load(weights[of_class]);
    losses[i] = -(Load(in[shape.At(i, of_class)]) - sums[i]) * factors[i];
  }
  auto* out = static_cast<T*>(outputs[0]);
  if (outputs[1] != nullptr) {
    for (std::size_t i = 0; i < positions; ++i) {
      for (std::size_t c = 0; c < shape.classes; ++c) {
        const std::size_t at = shape.At(i, c);
        Store(static_cast<T*>(outputs[1])[at], Load(in[at]) - sums[i]);
      }
    }
  }
  if (out == nullptr) return;
  if (shape.reduction == LossReduction::kNone) {
    for (std::size_t i = 0; i < positions; ++i) Store(out[i], losses[i]);
    return;
  }
  const V sum = SumByTree<V>(positions, [&](std::size_t i) { return losses[i]; });
  const V weight = SumByTree<V>(positions, [&](std::size_t i) { return factors[i]; });
  Store(*out, shape.reduction == LossReduction::kMean ? sum / weight : sum);
}

// Inputs: x (N, C, ...), targets (N, ...), weights of the classes (optional). Parameters: softmax:
// x has scores; ignored: a target that does not count (absent: none); reduction: none, sum, mean.
Prepared PrepareCrossEntropy(const Call& call) {
  const Dimensions& x = call.Shape(0);
  if (x.size() < 2 || !HasIndices(call, 1)) return Refuse("it has no classes or no targets");
  Dimensions targets = {x[0]};
  targets.insert(targets.end(), x.begin() + 2, x.end());
  if (call.Shape(1) != targets) return Refuse("its targets do not match its input");
  if (call.Has(2) &&
      (call.Input(2).dtype != call.Input(0).dtype || call.Shape(2) != Dimensions{x[1]})) {
    return Refuse("it does not have one weight per class");
  }
  LossShape shape;
  shape.batches = static_cast<std::size_t>(x[0]);
  shape.classes = static_cast<std::size_t>(x[1]);
  shape.pixels = Elements(Dimensions(x.begin() + 2, x.end()));
  shape.softmax = call.parameters.Integer("softmax", 0) != 0;
  shape.has_weights = call.Has(2);
  shape.wide = call.Input(1).dtype == Dtype::kInt64;
  if (call.parameters.Has("ignored")) shape.ignored = call.parameters.Integer("ignored", 0);
  const std::string reduction = call.parameters.Word("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean") {
    return Refuse("its reduction is unknown");
  }
  shape.reduction = reduction == "none"  ? LossReduction::kNone
                    : reduction == "sum" ? LossReduction::kSum
                                         : LossReduction::kMean;
  Prepared prepared;
  const Dtype dtype = call.Input(0).dtype;
  prepared.outputs = {{dtype, reduction == "none" ? targets : Dimensions{}}, {dtype, x}};
  WithFloat(dtype, [&]<typename T>(T*) {
    prepared.workspace = 3 * shape.Positions() * sizeof(Computed<T>);
    prepared.run = [shape](const void* const* inputs, void* const* outputs, void* workspace) {
      RunCrossEntropy<T>(shape, inputs, outputs, static_cast<Computed<T>*>(workspace));
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(CrossEntropy, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("8 ulp + n / 32 * 2^-24")
    .Reads("softmax")
    .Reads("ignored")
    .Reads("reduction: mean, none, sum")
    .Run(&PrepareCrossEntropy);

}  // namespace
}  // namespace opledger
