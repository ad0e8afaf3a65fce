// Along one axis: indices of extremes, running sums and products, the largest k elements.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/axes.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

bool AxisIsOutside(const Call& call) {
  const std::int64_t axis = call.parameters.Integer("axis", 0);
  return axis < 0 || axis >= static_cast<std::int64_t>(call.Input(0).Rank());
}

Axes AxisOf(const Call& call) {
  return SplitAxes(call.Shape(0), {call.parameters.Integer("axis", 0)});
}

// Parameters: axis; keep; last: of equal elements, takes the last.
template <bool kMax>
Prepared PrepareArg(const Call& call) {
  const Axes axes = AxisOf(call);
  const bool last = call.parameters.Integer("last", 0) != 0;
  if (axes.members.empty()) return Refuse("the axis is empty");
  Prepared prepared;
  const bool keep = call.parameters.Integer("keep", 1) != 0;
  prepared.outputs = {{Dtype::kInt64, keep ? axes.kept_ones : axes.kept}};
  WithNumber(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [axes, last](const void* const* inputs, void* const* outputs, void*) {
      for (std::size_t i = 0; i < axes.groups.size(); ++i) {
        const auto* group = static_cast<const T*>(inputs[0]) + axes.groups[i];
        std::size_t best = 0;
        for (std::size_t k = 1; k < axes.members.size(); ++k) {
          const auto a = Load(group[axes.members[best]]);
          const auto b = Load(group[axes.members[k]]);
          if ((kMax ? b > a : b < a) || (last && a == b)) best = k;
        }
        static_cast<std::int64_t*>(outputs[0])[i] = static_cast<std::int64_t>(best);
      }
    };
  });
  return prepared;
}

// Parameters: axis; exclusive: without the element itself; reverse: from the end.
template <bool kProduct>
Prepared PrepareCumulative(const Call& call) {
  const Axes axes = AxisOf(call);
  const bool exclusive = call.parameters.Integer("exclusive", 0) != 0;
  const bool reverse = call.parameters.Integer("reverse", 0) != 0;
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  WithNumber(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
      const std::size_t count = axes.members.size();
      for (const std::size_t group : axes.groups) {
        Computed<T> sum = kProduct ? 1 : 0;
        for (std::size_t k = 0; k < count; ++k) {
          const std::size_t at = group + axes.members[reverse ? count - 1 - k : k];
          const auto value = Load(static_cast<const T*>(inputs[0])[at]);
          const auto with = kProduct ? function::Times(sum, value) : function::Plus(sum, value);
          Store(static_cast<T*>(outputs[0])[at], exclusive ? sum : with);
          sum = with;
        }
      }
    };
  });
  return prepared;
}

// Orders elements as TopK does: NaN is larger than every other value.
template <typename V>
bool IsBefore(V x, V y, bool largest) {
  if constexpr (std::is_floating_point_v<V>) {
    if (std::isnan(x) || std::isnan(y)) return largest ? !std::isnan(y) : !std::isnan(x);
  }
  return largest ? x > y : x < y;
}

// Parameters: axis, k, largest. Outputs: the elements in order, and their indices.
Prepared PrepareTopK(const Call& call) {
  const Axes axes = AxisOf(call);
  const std::int64_t axis = call.parameters.Integer("axis", 0);
  const std::int64_t k = call.parameters.Integer("k", 1);
  const bool largest = call.parameters.Integer("largest", 1) != 0;
  if (k < 0 || k > static_cast<std::int64_t>(axes.members.size())) {
    return Refuse("its k is larger than the axis");
  }
  Prepared prepared;
  TensorType type = call.Input(0);
  type.dimensions[axis] = k;
  prepared.outputs = {type, {Dtype::kInt64, type.dimensions}};
  const Axes places = SplitAxes(type.dimensions, {axis});
  prepared.workspace = axes.members.size() * sizeof(std::size_t);
  WithNumber(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [=](const void* const* inputs, void* const* outputs, void* workspace) {
      auto* order = static_cast<std::size_t*>(workspace);
      for (std::size_t i = 0; i < axes.groups.size(); ++i) {
        const auto* group = static_cast<const T*>(inputs[0]) + axes.groups[i];
        std::iota(order, order + axes.members.size(), std::size_t{0});
        std::partial_sort(order, order + k, order + axes.members.size(),
                          [&](std::size_t a, std::size_t b) {
                            const auto x = Load(group[axes.members[a]]);
                            const auto y = Load(group[axes.members[b]]);
                            if (IsBefore(x, y, largest)) return true;
                            return !IsBefore(y, x, largest) && a < b;
                          });
        for (std::size_t n = 0; n < static_cast<std::size_t>(k); ++n) {
          const std::size_t at = places.groups[i] + places.members[n];
          if (outputs[0] != nullptr) {
            static_cast<T*>(outputs[0])[at] = group[axes.members[order[n]]];
          }
          if (outputs[1] != nullptr) {
            static_cast<std::int64_t*>(outputs[1])[at] = static_cast<std::int64_t>(order[n]);
          }
        }
      }
    };
  });
  return prepared;
}

#define OPLEDGER_ARG(NAME, MAX)                            \
  OPLEDGER_KERNEL(NAME, "cpu")                             \
      .Types("T", OPLEDGER_NUMBERS)                        \
      .ErrorBound("exact")                                 \
      .Reads("axis")                                       \
      .Reads("last")                                       \
      .Reads("keep")                                       \
      .Refuses("its axis is out of range", &AxisIsOutside) \
      .Run(&PrepareArg<MAX>);
OPLEDGER_ARG(ArgMax, true)
OPLEDGER_ARG(ArgMin, false)
#define OPLEDGER_CUMULATIVE(NAME, BOUND, PRODUCT)          \
  OPLEDGER_KERNEL(NAME, "cpu")                             \
      .Types("T", OPLEDGER_NUMBERS)                        \
      .Accumulates(Dtype::kFloat32)                        \
      .ErrorBound(BOUND)                                   \
      .Reads("axis")                                       \
      .Reads("exclusive")                                  \
      .Reads("reverse")                                    \
      .Refuses("its axis is out of range", &AxisIsOutside) \
      .Run(&PrepareCumulative<PRODUCT>);
OPLEDGER_CUMULATIVE(CumSum, "0.5 ulp + n * 2^-24", false)
OPLEDGER_CUMULATIVE(CumProd, "0.5 ulp + n * 2^-24", true)
OPLEDGER_KERNEL(TopK, "cpu")
    .Types("T", OPLEDGER_NUMBERS)
    .ErrorBound("exact")
    .Reads("axis")
    .Reads("k")
    .Reads("largest")
    .Refuses("its axis is out of range", &AxisIsOutside)
    .Run(&PrepareTopK);

}  // namespace
}  // namespace opledger
