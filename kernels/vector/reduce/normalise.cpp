// Normalizes contiguous groups to mean 0 and deviation 1, then scales and shifts them by operands
// that broadcast to the input.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/arithmetic/loops/loops.h"
#include "kernels/vector/elementwise/row_operand.h"
#include "kernels/vector/reduce/reduce.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

using arithmetic::Apply;
using arithmetic::Pair;

struct NormalisedRows {
  std::size_t n = 0;
  float epsilon = 0;
  bool subtract_mean = true;
  bool epsilon_in_sqrt = true;
  Dtype dtype = Dtype::kFloat32;
  std::optional<RowOperand> scale;
  std::optional<RowOperand> shift;

  void Run(const void* const* inputs, void* const* outputs, std::size_t group,
           float* workspace) const;
};

// Applies an operand to the elements of a group; `buffer` has room for n elements.
void ApplyOperand(Pair pair, const RowOperand& operand, const void* data, std::size_t group,
                  std::size_t n, float* buffer, float* numbers) {
  const Row row = operand.Load(data, group * n, n, buffer);
  if (row.one) {
    Apply(pair, numbers, row.numbers[0], numbers, n);
  } else {
    Apply(pair, numbers, row.numbers, numbers, n);
  }
}

// `workspace` has room for 2 n elements.
void NormalisedRows::Run(const void* const* inputs, void* const* outputs, std::size_t group,
                         float* workspace) const {
  const arithmetic::RowLoops& rows = arithmetic::Rows();
  const float* in = LoadRow(dtype, inputs[0], group * n, n, workspace);
  float* out = ResultRow(dtype, outputs[0], group * n, workspace);
  const auto count = static_cast<float>(n);
  const float mean = subtract_mean ? rows.sum(in, n) / count : 0.0F;
  const float variance = rows.sum_of_squares(in, mean, n) / count;
  const float inverse = epsilon_in_sqrt ? 1.0F / arithmetic::Sqrt(variance + epsilon)
                                        : 1.0F / (arithmetic::Sqrt(variance) + epsilon);
  rows.normalise(in, mean, inverse, nullptr, nullptr, out, n);
  float* buffer = workspace + n;
  if (scale) ApplyOperand(Pair::kMul, *scale, inputs[1], group, n, buffer, out);
  if (shift) ApplyOperand(Pair::kAdd, *shift, inputs[2], group, n, buffer, out);
  StoreRow(dtype, out, outputs[0], group * n, n);
  if (outputs[1] != nullptr) static_cast<float*>(outputs[1])[group] = mean;
  if (outputs[2] != nullptr) static_cast<float*>(outputs[2])[group] = inverse;
}

bool HasFloat64(const Call& call) {
  return (call.Has(1) && call.Input(1).dtype == Dtype::kFloat64) ||
         (call.Has(2) && call.Input(2).dtype == Dtype::kFloat64);
}

// Takes the parameters of the reference; the axes must be the last dimensions.
Prepared PrepareVectorNormalise(const Call& call) {
  const Dimensions view = call.parameters.List("view", call.Shape(0));
  const auto n = TrailingSize(view, call.parameters.List("axes"));
  if (!n || *n == 0) return Refuse("its groups are not contiguous");
  const ChosenKernel reference = ChooseKernel("Normalise", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  NormalisedRows rows;
  rows.n = *n;
  rows.epsilon = static_cast<float>(call.parameters.Number("epsilon", 1e-5));
  rows.subtract_mean = call.parameters.Integer("subtract_mean", 1) != 0;
  rows.epsilon_in_sqrt = call.parameters.Integer("epsilon_in_sqrt", 1) != 0;
  rows.dtype = call.Input(0).dtype;
  for (const std::size_t i : {1, 2}) {
    if (!call.Has(i)) continue;
    const Dimensions operand = call.parameters.List("operand", call.Shape(i));
    (i == 1 ? rows.scale : rows.shift).emplace(TensorType{call.Input(i).dtype, operand}, view);
  }
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  prepared.workspace = Threads() * 2 * rows.n * sizeof(float);
  const std::size_t groups = Elements(view) / rows.n;
  prepared.run = [=](const void* const* inputs, void* const* outputs, void* workspace) {
    ForParts(groups, kPartSize / rows.n + 1,
             [&](std::size_t begin, std::size_t end, std::size_t part) {
               float* own = static_cast<float*>(workspace) + part * 2 * rows.n;
               for (std::size_t group = begin; group < end; ++group) {
                 rows.Run(inputs, outputs, group, own);
               }
             });
  };
  return prepared;
}

OPLEDGER_KERNEL(Normalise, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp + n / 32 * 2^-24")
    .Refuses("its scale or shift is float64", &HasFloat64)
    .By("vector")
    .Run(&PrepareVectorNormalise);

}  // namespace
}  // namespace opledger
