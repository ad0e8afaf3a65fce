// Softmax, its logarithm, and Hardmax, along axes.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/reductions.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/reduce/reduce.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/axes.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

template <typename T>
Computed<T> MaxOf(const Axes& axes, const T* group) {
  using V = Computed<T>;
  return ReduceByTree(
      axes.members.size(), -std::numeric_limits<V>::infinity(),
      [&](std::size_t k) { return Load(group[axes.members[k]]); },
      [](V a, V b) { return function::Maximum(a, b); });
}

template <typename T, typename Function>
void RunSoftmax(const Axes& axes, const T* in, T* out) {
  using V = Computed<T>;
  for (const std::size_t start : axes.groups) {
    const V max = MaxOf(axes, in + start);
    const V sum = SumByTree<V>(axes.members.size(), [&](std::size_t k) {
      return function::Exp(Load(in[start + axes.members[k]]) - max);
    });
    for (const std::size_t member : axes.members) {
      Store(out[start + member], Function::Of(Load(in[start + member]), max, sum));
    }
  }
}

// Parameter: axes.
template <typename Function>
Prepared PrepareSoftmax(const Call& call) {
  const Axes axes = SplitAxes(call.Shape(0), call.parameters.List("axes"));
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [axes](const void* const* inputs, void* const* outputs, void*) {
      RunSoftmax<T, Function>(axes, static_cast<const T*>(inputs[0]), static_cast<T*>(outputs[0]));
    };
  });
  return prepared;
}

// Parameter: axes. 1 for the first maximum of a group, 0 for all others.
Prepared PrepareHardmax(const Call& call) {
  const Axes axes = SplitAxes(call.Shape(0), call.parameters.List("axes"));
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [axes](const void* const* inputs, void* const* outputs, void*) {
      for (const std::size_t start : axes.groups) {
        const auto* in = static_cast<const T*>(inputs[0]) + start;
        auto* out = static_cast<T*>(outputs[0]) + start;
        const auto max = MaxOf(axes, in);
        bool found = false;
        for (const std::size_t member : axes.members) {
          const bool is = !found && Load(in[member]) == max;
          found = found || is;
          Store(out[member], Computed<T>(is ? 1 : 0));
        }
      }
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(Softmax, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp")
    .Reads("axes")
    .Rounds(Rounding::kAtTheEnd)
    .Run(&PrepareSoftmax<SoftmaxOf>);
OPLEDGER_KERNEL(LogSoftmax, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp")
    .Reads("axes")
    .Rounds(Rounding::kAtTheEnd)
    .Run(&PrepareSoftmax<LogSoftmaxOf>);
OPLEDGER_KERNEL(Hardmax, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .ErrorBound("exact")
    .Reads("axes")
    .Run(&PrepareHardmax);

}  // namespace
}  // namespace opledger
