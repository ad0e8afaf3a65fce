// Softmax and its logarithm along one axis, with a temperature and with row lengths: elements
// beyond a row's length do not count, and give 0.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "kernels/cpu/formulas/formulas.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/reduce/reduce.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/axes.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

struct MaskedRows {
  Axes axes;
  double temperature = 1;
  Dtype lengths = Dtype::kBool;  // kBool: there are no lengths
};

// Returns the number of elements of a row that count.
std::size_t LengthOf(const MaskedRows& rows, const void* lengths, std::size_t row) {
  const std::size_t whole = rows.axes.members.size();
  std::size_t length = whole;
  WithNumber(rows.lengths, [&]<typename L>(L*) {
    const auto said = static_cast<double>(Load(static_cast<const L*>(lengths)[row]));
    length = said >= static_cast<double>(whole) ? whole
             : said > 0                         ? static_cast<std::size_t>(said)
                                                : 0;
  });
  return length;
}

template <bool kLogarithm, typename T>
void RunMaskedSoftmax(const MaskedRows& rows, const T* in, const void* lengths, T* out) {
  using V = Computed<T>;
  const V temperature = static_cast<V>(rows.temperature);
  for (std::size_t row = 0; row < rows.axes.groups.size(); ++row) {
    const std::size_t start = rows.axes.groups[row];
    const std::size_t length = LengthOf(rows, lengths, row);
    const auto value = [&](std::size_t k) {
      return static_cast<V>(Load(in[start + rows.axes.members[k]]) / temperature);
    };
    const V max = ReduceByTree(length, -std::numeric_limits<V>::infinity(), value,
                               [](V a, V b) { return function::Maximum(a, b); });
    const V sum =
        SumByTree<V>(length, [&](std::size_t k) { return function::Exp(value(k) - max); });
    for (std::size_t k = 0; k < rows.axes.members.size(); ++k) {
      T& to = out[start + rows.axes.members[k]];
      if (k >= length) {
        Store(to, V(0));
      } else if constexpr (kLogarithm) {
        Store(to, value(k) - max - function::Log(sum));
      } else {
        Store(to, function::Exp(value(k) - max) / sum);
      }
    }
  }
}

// Inputs: x, lengths (optional, one for each row). Parameters: axis, temperature.
template <bool kLogarithm>
Prepared PrepareMaskedSoftmax(const Call& call) {
  const std::int64_t axis = call.parameters.Integer("axis", 0);
  if (axis < 0 || axis >= static_cast<std::int64_t>(call.Input(0).Rank())) {
    return Refuse("its axis is out of range");
  }
  MaskedRows rows;
  rows.axes = SplitAxes(call.Shape(0), {axis});
  rows.temperature = call.parameters.Number("temperature", 1);
  if (call.Has(1)) {
    rows.lengths = call.Input(1).dtype;
    if (!WithNumber(rows.lengths, [](auto*) {}) ||
        Elements(call.Shape(1)) != rows.axes.groups.size()) {
      return Refuse("its lengths are not one element per row");
    }
  }
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    const bool has_lengths = call.Has(1);
    prepared.run = [rows, has_lengths](const void* const* inputs, void* const* outputs, void*) {
      RunMaskedSoftmax<kLogarithm>(rows, static_cast<const T*>(inputs[0]),
                                   has_lengths ? inputs[1] : nullptr, static_cast<T*>(outputs[0]));
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(MaskedSoftmax, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp")
    .Reads("axis")
    .Reads("temperature")
    .Run(&PrepareMaskedSoftmax<false>);
OPLEDGER_KERNEL(MaskedLogSoftmax, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp")
    .Reads("axis")
    .Reads("temperature")
    .Run(&PrepareMaskedSoftmax<true>);

}  // namespace
}  // namespace opledger
