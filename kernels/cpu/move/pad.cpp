// Pad: elements around the input; modes "constant", "edge", "reflect" and "wrap". Negative pads
// crop, and the rest is padded.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

enum class PadMode { kConstant, kEdge, kReflect, kWrap };

// Returns the index, in a dimension of `size`, of the element shown at `at`, which may be outside.
// -1: the constant.
std::int64_t PaddedIndex(std::int64_t at, std::int64_t size, PadMode mode) {
  if (at >= 0 && at < size) return at;
  switch (mode) {
    case PadMode::kConstant:
      return -1;
    case PadMode::kEdge:
      return at < 0 ? 0 : size - 1;
    case PadMode::kReflect: {
      if (size == 1) return 0;
      const std::int64_t period = 2 * (size - 1);
      const std::int64_t rest = ((at % period) + period) % period;
      return rest < size ? rest : period - rest;
    }
    case PadMode::kWrap:
      return ((at % size) + size) % size;
  }
  return -1;
}

constexpr std::size_t kMaxPaddedRank = 32;

// For each dimension and output index: the offset in the input, or -1.
using IndexTables = std::vector<std::vector<std::int64_t>>;

template <typename T>
void PadElements(const IndexTables& tables, const T* in, T constant, T* out) {
  const std::size_t rank = tables.size();
  std::size_t at[kMaxPaddedRank] = {};
  std::size_t total = 1;
  for (const auto& table : tables) total *= table.size();
  for (std::size_t i = 0; i < total; ++i) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < rank && offset >= 0; ++d) {
      const std::int64_t step = tables[d][at[d]];
      offset = step < 0 ? -1 : offset + step;
    }
    out[i] = offset < 0 ? constant : in[offset];
    for (std::size_t d = rank; d-- > 0;) {
      if (++at[d] < tables[d].size()) break;
      at[d] = 0;
    }
  }
}

// Inputs: x, value (a scalar). Parameters: mode; begin and end, for each dimension.
Prepared PreparePad(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  const Integers begin = call.parameters.List("begin");
  const Integers end = call.parameters.List("end");
  const std::string word = call.parameters.Word("mode", "constant");
  const PadMode mode = word == "edge"      ? PadMode::kEdge
                       : word == "reflect" ? PadMode::kReflect
                       : word == "wrap"    ? PadMode::kWrap
                                           : PadMode::kConstant;
  if (begin.size() != shape.size() || end.size() != shape.size() || shape.size() > kMaxPaddedRank) {
    return Refuse("its pads do not match its input's rank");
  }
  if (call.Has(1) && (call.Input(1).dtype != call.Input(0).dtype || Elements(call.Shape(1)) != 1)) {
    return Refuse("its pad value is not a scalar of its input's type");
  }
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  const Dimensions strides = Strides(shape);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    constexpr std::int64_t kMaxPad = std::int64_t{1} << 40;
    if (std::max(begin[d], end[d]) > kMaxPad || std::min(begin[d], end[d]) < -kMaxPad) {
      return Refuse("its pads are too large");
    }
    prepared.outputs[0].dimensions[d] += begin[d] + end[d];
  }
  if (!CheckSize(prepared.outputs[0])) return Refuse(OutputProblem(prepared.outputs[0]));
  IndexTables tables(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t first = std::max<std::int64_t>(-begin[d], 0);
    const std::int64_t size = shape[d] - first + std::min<std::int64_t>(end[d], 0);
    const std::int64_t padded = prepared.outputs[0].dimensions[d];
    if (size <= 0 && padded > 0 && mode != PadMode::kConstant) {
      return Refuse("it pads an empty input with its own elements");
    }
    for (std::int64_t i = 0; i < padded; ++i) {
      const std::int64_t index = PaddedIndex(i - std::max<std::int64_t>(begin[d], 0), size, mode);
      tables[d].push_back(index < 0 ? -1 : (first + index) * strides[d]);
    }
  }
  WithSize(ElementSize(call.Input(0).dtype), [&]<typename T>(T*) {
    T constant{};
    WithNumber(call.Input(0).dtype, [&]<typename N>(N*) {
      if constexpr (sizeof(N) == sizeof(T)) {
        N number;
        Store(number, static_cast<Computed<N>>(call.parameters.Number("value", 0)));
        std::memcpy(&constant, &number, sizeof constant);
      }
    });
    const bool given = call.Has(1);
    prepared.run = [tables, constant, given](const void* const* inputs, void* const* outputs,
                                             void*) {
      PadElements(tables, static_cast<const T*>(inputs[0]),
                  given ? *static_cast<const T*>(inputs[1]) : constant,
                  static_cast<T*>(outputs[0]));
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(Pad, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("begin")
    .Reads("end")
    .Reads("mode: constant, edge, reflect, wrap")
    .Reads("value")
    .Rounds(Rounding::kAtTheEnd)
    .Run(&PreparePad);

}  // namespace
}  // namespace opledger
