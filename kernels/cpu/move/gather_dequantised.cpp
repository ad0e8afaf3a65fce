// Gathers elements along one axis from a table with 2 to 8 bits per element. The table stays
// packed; only elements that are taken are dequantized.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "kernels/cpu/elementwise/scale_shape.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/cpu/move/indices.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"
#include "kernels/tensor/narrow_element.h"

namespace opledger {
namespace {

struct StoredTable {
  std::size_t outer = 1;  // dimensions before the gathered axis
  std::size_t size = 1;   // of the gathered axis
  std::size_t inner = 1;  // adjacent elements at one index of it
  std::size_t indices = 0;
  ScaleShape scales;
  std::size_t zeros = 1;             // adjacent zero points
  std::size_t zeros_step = 1;        // the same including the padding of their last byte
  float zero = 0;                    // for all elements if there is no such input
  std::array<float, 256> numbers{};  // values of the stored bits
};

// Returns the bits of element `at`; the first element of a byte has the low bits.
template <std::size_t kBits>
std::size_t BitsAt(const void* stored, std::size_t at) {
  constexpr std::size_t kInByte = 8 / kBits;
  const std::uint8_t byte = static_cast<const std::uint8_t*>(stored)[at / kInByte];
  return std::size_t{byte} >> at % kInByte * kBits & ((std::size_t{1} << kBits) - 1);
}

// Returns the number of elements from `at` on that share its scale.
std::size_t RunOfScale(const ScaleShape& shape, std::size_t at) {
  if (shape.inner != 1) return shape.inner_step == 0 ? shape.inner - at % shape.inner : 1;
  const std::size_t along = at % shape.length;
  return std::min(shape.block - along % shape.block, shape.length - along);
}

std::size_t ScaleOf(const ScaleShape& shape, std::size_t at) {
  const std::size_t along = at / shape.inner;
  return along / shape.length * shape.outer_step +
         along % shape.length / shape.block * shape.axis_step + at % shape.inner * shape.inner_step;
}

// Dequantizes elements `first` to `first` + table.inner.
template <std::size_t kBits, typename S>
void DequantiseRange(const StoredTable& table, const void* const* inputs, const void* zeros,
                     std::size_t first, S* out) {
  const std::size_t end = first + table.inner;
  for (std::size_t at = first; at < end;) {
    const std::size_t scale = ScaleOf(table.scales, at);
    const std::size_t zero_at = scale / table.zeros * table.zeros_step + scale % table.zeros;
    const float zero = zeros == nullptr ? table.zero : table.numbers[BitsAt<kBits>(zeros, zero_at)];
    const Computed<S> factor = Load(static_cast<const S*>(inputs[2])[scale]);
    const std::size_t last = std::min(end, at + RunOfScale(table.scales, at));
    for (; at < last; ++at, ++out) {
      const float off = table.numbers[BitsAt<kBits>(inputs[0], at)] - zero;
      Store(*out, static_cast<Computed<S>>(off) * factor);
    }
  }
}

template <std::size_t kBits, typename S>
void GatherNumbers(const StoredTable& table, bool wide, const void* const* inputs,
                   const void* zeros, S* out) {
  for (std::size_t o = 0; o < table.outer; ++o) {
    for (std::size_t i = 0; i < table.indices; ++i, out += table.inner) {
      const std::int64_t index = IndexAt(inputs[1], wide, i);
      const std::int64_t at = CheckedIndex(index, static_cast<std::int64_t>(table.size));
      if (at < 0) {
        std::fill(out, out + table.inner, S{});
        continue;
      }
      const std::size_t first = (o * table.size + static_cast<std::size_t>(at)) * table.inner;
      DequantiseRange<kBits>(table, inputs, zeros, first, out);
    }
  }
}

// Reads the scales and zero points of a table with these dimensions. `in_byte`: elements per byte.
std::string ReadScales(const Call& call, const Dimensions& dimensions, std::int64_t in_byte,
                       StoredTable& table) {
  Call dequantised;
  dequantised.inputs = {TensorType{call.Input(0).dtype, dimensions}, call.Input(2)};
  dequantised.parameters.Set("axis", call.parameters.Integer("axis", 1));
  dequantised.parameters.Set("block", call.parameters.Integer("block", 0));
  if (std::string problem = ReadScale(dequantised, table.scales); !problem.empty()) return problem;
  table.zero = static_cast<float>(call.parameters.Integer("zero", 0));
  if (!call.Has(3)) return {};
  Dimensions zeros = call.Shape(2);
  if (!zeros.empty()) {
    table.zeros = static_cast<std::size_t>(std::max<std::int64_t>(zeros.back(), 1));
    zeros.back() = (zeros.back() + in_byte - 1) / in_byte;
    table.zeros_step = static_cast<std::size_t>(zeros.back() * in_byte);
  }
  const bool fits = call.Shape(3) == zeros && call.Input(3).dtype == call.Input(0).dtype;
  return fits ? "" : "its zero points do not fit its scales";
}

// Inputs: table, indices, scales, zero points (optional).
Prepared PrepareGatherDequantised(const Call& call) {
  const Dtype dtype = call.Input(0).dtype;
  const std::int64_t bits = dtype == Dtype::kUint8 ? call.parameters.Integer("bits", 8)
                            : IsFourBits(dtype)    ? 4
                                                   : 8;
  if (bits != 2 && bits != 4 && bits != 8) return Refuse("its bits are not 2, 4 or 8");
  // A table of bytes has as many elements as bytes, whatever their bits.
  const std::int64_t in_byte = IsFourBits(dtype) ? 1 : 8 / bits;
  Dimensions dimensions = call.Shape(0);
  const auto rank = static_cast<std::int64_t>(dimensions.size());
  const std::int64_t axis = call.parameters.Integer("gather_axis", 0);
  if (axis < 0 || axis >= rank) return Refuse("its axis is out of range");
  if (in_byte != 1) {
    if (axis == rank - 1 || call.parameters.Integer("axis", 1) != rank - 1) {
      return Refuse(
          "its bytes hold several elements, which is only supported with scales along the last "
          "axis");
    }
    dimensions.back() *= in_byte;
  }
  StoredTable table;
  if (std::string problem = ReadScales(call, dimensions, in_byte, table); !problem.empty()) {
    return Refuse(problem);
  }
  const auto begin = dimensions.begin();
  table.outer = Elements(Dimensions(begin, begin + axis));
  table.size = static_cast<std::size_t>(dimensions[axis]);
  table.inner = Elements(Dimensions(begin + axis + 1, dimensions.end()));
  table.indices = Elements(call.Shape(1));
  for (std::size_t i = 0; i < table.numbers.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(i);
    table.numbers[i] = dtype == Dtype::kUint8  ? static_cast<float>(byte)
                       : dtype == Dtype::kInt8 ? static_cast<float>(static_cast<std::int8_t>(byte))
                                               : NarrowAt(dtype, &byte, 0);
  }
  Dimensions shape(begin, begin + axis);
  shape.insert(shape.end(), call.Shape(1).begin(), call.Shape(1).end());
  shape.insert(shape.end(), begin + axis + 1, dimensions.end());
  Prepared prepared;
  prepared.outputs = {{call.Input(2).dtype, shape}};
  const bool wide = call.Input(1).dtype == Dtype::kInt64;
  WithFloat(call.Input(2).dtype, [&]<typename S>(S*) {
    const auto gather = bits == 8   ? &GatherNumbers<8, S>
                        : bits == 4 ? &GatherNumbers<4, S>
                                    : &GatherNumbers<2, S>;
    prepared.run = [table, gather, wide, has_zeros = call.Has(3)](const void* const* inputs,
                                                                  void* const* outputs, void*) {
      gather(table, wide, inputs, has_zeros ? inputs[3] : nullptr, static_cast<S*>(outputs[0]));
    };
  });
  return prepared;
}

bool HasNoIndices(const Call& call) { return !HasIndices(call, 1); }

OPLEDGER_KERNEL(GatherDequantized, "cpu")
    .Types("T", {Dtype::kUint8, Dtype::kInt8, Dtype::kUint4, Dtype::kInt4, Dtype::kFloat8E4M3,
                 Dtype::kFloat8E5M2})
    .Types("scales", OPLEDGER_FLOATS, 2)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp")
    .Reads("gather_axis")
    .Reads("axis")
    .Reads("block")
    .Reads("bits")
    .Reads("zero")
    .Refuses("its indices are not int32 or int64", &HasNoIndices)
    .Run(&PrepareGatherDequantised);

}  // namespace
}  // namespace opledger
