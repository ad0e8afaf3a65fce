// MatMulNBits, the reference: unpacks a column of weights at a time and multiplies it by each row.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/contraction/packed_weights.h"

#include <algorithm>

#include "kernels/cpu/contraction/contraction.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/tensor/element.h"
#include "kernels/tensor/narrow_element.h"

namespace opledger {
namespace {

double ElementAt(Dtype dtype, const void* data, std::size_t at) {
  if (IsFourBits(dtype) || IsFloat8(dtype)) return static_cast<double>(NarrowAt(dtype, data, at));
  double number = 0;
  WithNumber(dtype, [&]<typename T>(T*) {
    number = static_cast<double>(Load(static_cast<const T*>(data)[at]));
  });
  return number;
}

// One more than the index of the last element of all blocks and columns.
std::size_t Reached(std::size_t count, std::size_t step, std::size_t columns,
                    std::size_t column_step) {
  return (count - 1) * step + (columns - 1) * column_step + 1;
}

// Returns whether a tensor has at least `count` elements. Bytes hold two each if `dtype` has 4
// bits.
bool HasElements(const TensorType& type, Dtype dtype, std::size_t count) {
  const std::size_t packed = IsFourBits(dtype) && !IsFourBits(type.dtype) ? 2 : 1;
  return Elements(type.dimensions) * packed >= count;
}

}  // namespace

double PackedWeights::WeightAt(const void* weights, std::size_t k, std::size_t n) const {
  return ElementAt(dtype, weights, k * inner_step + n * column_step);
}
double PackedWeights::ZeroAt(const void* zeros, std::size_t of, std::size_t n) const {
  if (!zero_dtype) return static_cast<double>(zero);
  return ElementAt(*zero_dtype, zeros, of * zero_step + n * zero_column_step);
}
double PackedWeights::ScaleAt(const void* scales, std::size_t of, std::size_t n) const {
  return ElementAt(scale_dtype, scales, of * scale_step + n * scale_column_step);
}

double PackedWeights::NumberAt(const std::vector<const void*>& inputs, std::size_t k,
                               std::size_t n) const {
  const std::size_t of = k / block;
  const double zero_point = ZeroAt(inputs.size() > 3 ? inputs[3] : nullptr, of, n);
  return (WeightAt(inputs[1], k, n) - zero_point) * ScaleAt(inputs[2], of, n);
}

StatusOr<PackedWeights> ReadPackedWeights(const Call& call) {
  PackedWeights weights;
  const auto read = [&](const char* name) {
    return static_cast<std::size_t>(std::max<std::int64_t>(call.parameters.Integer(name, 0), 0));
  };
  weights.inner = read("inner");
  weights.columns = read("columns");
  weights.block = read("block");
  weights.inner_step = read("inner_step");
  weights.column_step = read("column_step");
  weights.scale_step = read("scale_step");
  weights.scale_column_step = read("scale_column_step");
  weights.zero_step = read("zero_step");
  weights.zero_column_step = read("zero_column_step");
  weights.zero = static_cast<float>(call.parameters.Number("zero", 0));
  weights.dtype = call.Input(1).dtype;
  if (call.parameters.Integer("bits", 8) == 4 && weights.dtype == Dtype::kUint8) {
    weights.dtype = Dtype::kUint4;
  }
  weights.scale_dtype = call.Input(2).dtype;
  if (call.Has(3)) {
    const Dtype dtype = call.Input(3).dtype;
    weights.zero_dtype = dtype == call.Input(1).dtype ? weights.dtype : dtype;
  }
  if (weights.inner == 0 || weights.columns == 0 || weights.block == 0) {
    return "its sizes are not positive";
  }
  const bool fits =
      HasElements(
          call.Input(1), weights.dtype,
          Reached(weights.inner, weights.inner_step, weights.columns, weights.column_step)) &&
      HasElements(call.Input(2), weights.scale_dtype,
                  Reached(weights.Blocks(), weights.scale_step, weights.columns,
                          weights.scale_column_step)) &&
      (!call.Has(3) || HasElements(call.Input(3), *weights.zero_dtype,
                                   Reached(weights.Blocks(), weights.zero_step, weights.columns,
                                           weights.zero_column_step)));
  if (!fits) return "its weights, scales or zero points do not match its sizes";
  const Dimensions& a = call.Shape(0);
  if (a.empty() || a.back() != static_cast<std::int64_t>(weights.inner)) {
    return "its rows and columns differ in length";
  }
  return weights;
}

StatusOr<PackedWeights> ReadKnownWeights(const Call& call) {
  for (std::size_t input = 1; input < call.inputs.size(); ++input) {
    if (call.Has(input) && call.constants[input] == nullptr) {
      return "its weights, scales or zero points are computed at run time";
    }
  }
  return ReadPackedWeights(call);
}

std::vector<std::size_t> WeightInputs(const Call& call) {
  return call.Has(3) ? std::vector<std::size_t>{1, 2, 3} : std::vector<std::size_t>{1, 2};
}

namespace {

template <typename T>
void MultiplyPacked(const PackedWeights& weights, std::size_t rows,
                    const std::vector<const void*>& inputs, T* out, Computed<T>* column) {
  const auto* a = static_cast<const T*>(inputs[0]);
  for (std::size_t n = 0; n < weights.columns; ++n) {
    if (const char* why = WhyToStop()) return ReportStepProblem({why});
    for (std::size_t k = 0; k < weights.inner; ++k) {
      column[k] = static_cast<Computed<T>>(weights.NumberAt(inputs, k, n));
    }
    for (std::size_t row = 0; row < rows; ++row) {
      Computed<T> sum = 0;
      for (std::size_t k = 0; k < weights.inner; ++k) {
        sum += Load(a[row * weights.inner + k]) * column[k];
      }
      Store(out[row * weights.columns + n], sum);
    }
  }
}

Prepared PrepareMatMulNBits(const Call& call) {
  const auto read = ReadPackedWeights(call);
  if (!read) return Refuse(read.status());
  const PackedWeights& weights = *read;
  Dimensions result = call.Shape(0);
  result.back() = static_cast<std::int64_t>(weights.columns);
  const std::size_t rows = Elements(call.Shape(0)) / weights.inner;
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, result}};
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.workspace = weights.inner * sizeof(Computed<T>);
    prepared.run = [weights, rows, count = call.inputs.size()](
                       const void* const* inputs, void* const* outputs, void* workspace) {
      const std::vector<const void*> all(inputs, inputs + count);
      MultiplyPacked(weights, rows, all, static_cast<T*>(outputs[0]),
                     static_cast<Computed<T>*>(workspace));
    };
  });
  return prepared;
}

// Inputs: a, weights, scales, zero points (optional). A row of `a` has `inner` elements. `block`
// consecutive weights of a column share a scale and a zero point, which is `zero` if there is no
// such input. `bits` is 4 or 8 if the weights are bytes. `accuracy` 4: `a` may be rounded to 8 bits
// for each block.
OPLEDGER_KERNEL(MatMulNBits, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Types("weights",
           {Dtype::kUint8, Dtype::kInt8, Dtype::kUint4, Dtype::kInt4, Dtype::kFloat8E4M3,
            Dtype::kFloat8E5M2},
           1)
    .Types("scales", OPLEDGER_FLOATS, 2)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24")
    .Rounds(Rounding::kAtTheEnd)
    .Reads("bits")
    .Reads("block")
    .Reads("inner")
    .Reads("columns")
    .Reads("inner_step")
    .Reads("column_step")
    .Reads("scale_step")
    .Reads("scale_column_step")
    .Reads("zero")
    .Reads("zero_step")
    .Reads("zero_column_step")
    .Reads("accuracy")
    .Run(&PrepareMatMulNBits);

}  // namespace
}  // namespace opledger
