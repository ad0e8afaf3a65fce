// Normalization by neighbors: LRN over channels, LpNorm along an axis.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/reduce/reduce.h"
#include "kernels/kernel/channels_last.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/axes.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// Parameters: channels_last; alpha, beta, bias, size:
//   x / (bias + alpha / size * sum of squares of `size` channels) ^ beta
Prepared PrepareLocalResponse(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  const std::int64_t size = call.parameters.Integer("size", 1);
  if (shape.size() < 3 || size < 1)
    return Refuse("its input has no channels, or its size is not positive");
  const auto last = static_cast<std::int64_t>(shape.size()) - 1;
  const Axes axes = SplitAxes(shape, {ChannelsLast(call) ? last : 1});
  const double alpha = call.parameters.Number("alpha", 1e-4) / static_cast<double>(size);
  const double beta = call.parameters.Number("beta", 0.75);
  const double bias = call.parameters.Number("bias", 1);
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
      using V = Computed<T>;
      const auto channels = static_cast<std::int64_t>(axes.members.size());
      for (const std::size_t group : axes.groups) {
        const auto* in = static_cast<const T*>(inputs[0]) + group;
        for (std::int64_t c = 0; c < channels; ++c) {
          const std::int64_t first = std::max<std::int64_t>(0, c - (size - 1) / 2);
          const std::int64_t last = std::min(channels - 1, c + size / 2);
          V sum = 0;
          for (std::int64_t k = first; k <= last; ++k) {
            const V x = Load(in[axes.members[k]]);
            sum += x * x;
          }
          const V norm = function::Pow(static_cast<V>(bias) + static_cast<V>(alpha) * sum,
                                       static_cast<V>(beta));
          Store(static_cast<T*>(outputs[0])[group + axes.members[c]],
                static_cast<V>(Load(in[axes.members[c]]) / norm));
        }
      }
    };
  });
  return prepared;
}

// Parameters: axis; p: 1 or 2. Zeros give zeros.
Prepared PrepareLpNorm(const Call& call) {
  const Axes axes = SplitAxes(call.Shape(0), {call.parameters.Integer("axis", 0)});
  const bool square = call.parameters.Integer("p", 2) == 2;
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [axes, square](const void* const* inputs, void* const* outputs, void*) {
      using V = Computed<T>;
      for (const std::size_t group : axes.groups) {
        const auto* in = static_cast<const T*>(inputs[0]) + group;
        const V sum = SumByTree<V>(axes.members.size(), [&](std::size_t k) {
          const V x = Load(in[axes.members[k]]);
          return square ? x * x : std::fabs(x);
        });
        const V norm = square ? function::Sqrt(sum) : sum;
        for (const std::size_t member : axes.members) {
          const V x = Load(in[member]);
          Store(static_cast<T*>(outputs[0])[group + member],
                norm == V(0) ? V(0) : static_cast<V>(x / norm));
        }
      }
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(LocalResponseNorm, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp")
    .Reads("size")
    .Reads("alpha")
    .Reads("beta")
    .Reads("bias")
    .ChannelsLast(ChannelsLastUse::kFollows)
    .Run(&PrepareLocalResponse);
OPLEDGER_KERNEL(LpNorm, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("2 ulp + n / 32 * 2^-24")
    .Reads("axis")
    .Reads("p")
    .Run(&PrepareLpNorm);

}  // namespace
}  // namespace opledger
