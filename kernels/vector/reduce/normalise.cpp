// Numbers that stand together brought to mean 0 and deviation 1, then scaled and shifted.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/arithmetic/loops/loops.h"
#include "kernels/vector/reduce/reduce.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

struct NormalisedRows {
  std::size_t n = 0;
  float epsilon = 0;
  bool subtract_mean = true;
  bool epsilon_in_sqrt = true;
  Dtype dtype = Dtype::kFloat32;
  Dtype operands = Dtype::kFloat32;  // of scale and shift
  bool scales = false;
  bool shifts = false;

  void Run(const float* in, const float* scale, const float* shift, float* out, float* mean_out,
           float* inverse_out) const {
    const arithmetic::RowLoops& rows = arithmetic::Rows();
    const auto count = static_cast<float>(n);
    const float mean = subtract_mean ? rows.sum(in, n) / count : 0.0F;
    const float variance = rows.sum_of_squares(in, mean, n) / count;
    const float inverse = epsilon_in_sqrt ? 1.0F / arithmetic::Sqrt(variance + epsilon)
                                          : 1.0F / (arithmetic::Sqrt(variance) + epsilon);
    rows.normalise(in, mean, inverse, scale, shift, out, n);
    if (mean_out != nullptr) *mean_out = mean;
    if (inverse_out != nullptr) *inverse_out = inverse;
  }
};

// Whether an operand is one row of n numbers, in the last dimensions of the input.
bool IsRow(const Call& call, std::size_t input, std::size_t n) {
  if (!call.Has(input)) return true;
  const Dimensions& own = call.Shape(input);
  const Dimensions& shape = call.Shape(0);
  if (Elements(own) != n || own.size() > shape.size() ||
      call.parameters.List("operand", own) != own) {
    return false;
  }
  std::size_t matched = 1;
  for (std::size_t i = 1; i <= own.size() && matched < n; ++i) {
    if (own[own.size() - i] != shape[shape.size() - i]) return false;
    matched *= static_cast<std::size_t>(own[own.size() - i]);
  }
  return matched == n;
}

// As the reference's, where the axes are the last dimensions and scale and shift are rows of them.
Prepared PrepareVectorNormalise(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  const auto n = TrailingSize(shape, call.parameters.List("axes"));
  if (!n || *n == 0 || call.parameters.List("view", shape) != shape || !IsRow(call, 1, *n) ||
      !IsRow(call, 2, *n)) {
    return Refuse("its numbers do not stand together");
  }
  const ChosenKernel reference = ChooseKernel("Normalise", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  NormalisedRows rows;
  rows.n = *n;
  rows.epsilon = static_cast<float>(call.parameters.Number("epsilon", 1e-5));
  rows.subtract_mean = call.parameters.Integer("subtract_mean", 1) != 0;
  rows.epsilon_in_sqrt = call.parameters.Integer("epsilon_in_sqrt", 1) != 0;
  rows.dtype = call.Input(0).dtype;
  rows.scales = call.Has(1);
  rows.shifts = call.Has(2);
  if (rows.scales || rows.shifts) rows.operands = call.Input(rows.scales ? 1 : 2).dtype;
  if (rows.operands == Dtype::kFloat64) return Refuse("its scale is float64");
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  prepared.workspace = (Threads() + 2) * rows.n * sizeof(float);
  const std::size_t groups = Elements(shape) / rows.n;
  prepared.run = [=](const void* const* inputs, void* const* outputs, void* workspace) {
    auto* buffer = static_cast<float*>(workspace);
    const float* scale =
        rows.scales ? LoadRow(rows.operands, inputs[1], 0, rows.n, buffer) : nullptr;
    const float* shift =
        rows.shifts ? LoadRow(rows.operands, inputs[2], 0, rows.n, buffer + rows.n) : nullptr;
    ForParts(groups, kPartSize / rows.n + 1,
             [&](std::size_t begin, std::size_t end, std::size_t part) {
               float* own = buffer + (part + 2) * rows.n;
               for (std::size_t group = begin; group < end; ++group) {
                 const std::size_t at = group * rows.n;
                 const float* in = LoadRow(rows.dtype, inputs[0], at, rows.n, own);
                 float* out = ResultRow(rows.dtype, outputs[0], at, own);
                 const auto of_group = [&](std::size_t output) {
                   auto* numbers = static_cast<float*>(outputs[output]);
                   return numbers == nullptr ? nullptr : numbers + group;
                 };
                 rows.Run(in, scale, shift, out, of_group(1), of_group(2));
                 StoreRow(rows.dtype, out, outputs[0], at, rows.n);
               }
             });
  };
  return prepared;
}

OPLEDGER_KERNEL(Normalise, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp + n / 32 * 2^-24")
    .Priority(10)
    .Run(&PrepareVectorNormalise);

}  // namespace
}  // namespace opledger
