// Sums, means, extremes and norms along axes. https://onnx.ai/onnx/operators/ has the formulas.
// Without elements, a sum is 0, a product 1 and a maximum the lowest value of the type.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/reduce/reduce.h"

#include <cmath>
#include <limits>

#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/reductions.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/axes.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// Stores the result of a reduction as an element.
template <typename T, typename V>
void StoreResult(T& element, V result) {
  if constexpr (std::is_integral_v<T> && std::is_floating_point_v<V>) {
    element = function::IntegerOf<T>(result);
  } else {
    Store(element, static_cast<Computed<T>>(result));
  }
}

template <typename Reduction, typename T>
void ReduceGroups(const Axes& axes, const T* in, T* out) {
  using V = typename Reduction::template Held<Computed<T>>;
  for (std::size_t i = 0; i < axes.groups.size(); ++i) {
    const T* group = in + axes.groups[i];
    const V all = ReduceByTree(
        axes.members.size(), Reduction::template Start<V>(),
        [&](std::size_t k) { return Reduction::Map(static_cast<V>(Load(group[axes.members[k]]))); },
        [](V a, V b) { return Reduction::Reduce(a, b); });
    StoreResult(out[i], Reduction::Finish(all, axes.members.size()));
  }
}

// Subtracts the maximum first, so that no exponential overflows.
struct LogSumExpReduction {};
template <typename T>
void ReduceLogSumExp(const Axes& axes, const T* in, T* out) {
  using V = std::conditional_t<std::is_integral_v<Computed<T>>, double, Computed<T>>;
  for (std::size_t i = 0; i < axes.groups.size(); ++i) {
    const T* group = in + axes.groups[i];
    const auto value = [&](std::size_t k) { return static_cast<V>(Load(group[axes.members[k]])); };
    const V max = ReduceByTree(axes.members.size(), -std::numeric_limits<V>::infinity(), value,
                               [](V a, V b) { return function::Maximum(a, b); });
    const V base = std::isinf(max) ? V(0) : max;
    const V sum = SumByTree<V>(axes.members.size(),
                               [&](std::size_t k) { return function::Exp(value(k) - base); });
    StoreResult(out[i], base + function::Log(sum));
  }
}

// Parameters: axes; keep: each becomes a dimension of 1.
template <typename Reduction>
Prepared PrepareReduce(const Call& call) {
  const Axes axes = SplitAxes(call.Shape(0), call.parameters.List("axes"));
  const bool keep = call.parameters.Integer("keep", 1) != 0;
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, keep ? axes.kept_ones : axes.kept}};
  const auto use = [&]<typename T>(T*) {
    prepared.run = [axes](const void* const* inputs, void* const* outputs, void*) {
      const auto* in = static_cast<const T*>(inputs[0]);
      auto* out = static_cast<T*>(outputs[0]);
      if constexpr (std::is_same_v<Reduction, LogSumExpReduction>) {
        ReduceLogSumExp(axes, in, out);
      } else {
        ReduceGroups<Reduction>(axes, in, out);
      }
    };
  };
  if (call.Input(0).dtype == Dtype::kBool) {
    use(static_cast<std::uint8_t*>(nullptr));
  } else {
    WithNumber(call.Input(0).dtype, use);
  }
  return prepared;
}

#define OPLEDGER_REDUCE(NAME, TYPES, BOUND) \
  OPLEDGER_KERNEL(Reduce##NAME, "cpu")      \
      .Types("T", TYPES)                    \
      .Accumulates(Dtype::kFloat32)         \
      .ErrorBound(BOUND)                    \
      .Reads("axes")                        \
      .Reads("keep")                        \
      .Rounds(Rounding::kAtTheEnd)          \
      .Run(&PrepareReduce<NAME##Reduction>);
OPLEDGER_REDUCE(Sum, OPLEDGER_NUMBERS, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_REDUCE(Mean, OPLEDGER_NUMBERS, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_REDUCE(SumSquare, OPLEDGER_NUMBERS, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_REDUCE(L1, OPLEDGER_NUMBERS, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_REDUCE(L2, OPLEDGER_NUMBERS, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_REDUCE(LogSum, OPLEDGER_NUMBERS, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_REDUCE(LogSumExp, OPLEDGER_NUMBERS, "4 ulp + n / 32 * 2^-24")
OPLEDGER_REDUCE(Prod, OPLEDGER_NUMBERS, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_REDUCE(Max, OPLEDGER_ANY, "exact")
OPLEDGER_REDUCE(Min, OPLEDGER_ANY, "exact")

}  // namespace
}  // namespace opledger
