// BatchNorm with constant statistics, as a row program with the same bits as the reference.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/kernel/channels_last.h"
#include "kernels/vector/elementwise/row_program.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

std::vector<float> NumbersOf(const Call& call, std::size_t input) {
  std::vector<float> numbers(Elements(call.Shape(input)));
  arithmetic::Upcast(call.Input(input).dtype, call.constants[input], numbers.data(),
                     numbers.size());
  return numbers;
}

bool HasUnknownStatistics(const Call& call) {
  for (std::size_t i = 1; i < 5; ++i) {
    if (!call.Has(i) || call.constants[i] == nullptr) return true;
    if (call.Input(i).dtype == Dtype::kFloat64) return true;
  }
  return false;
}

// Inputs: x, scale, shift, mean, variance. (x - mean) * (scale / sqrt(variance + epsilon)) + shift
Prepared PrepareVectorBatchNorm(const Call& call) {
  const ChosenKernel reference = ChooseKernel("BatchNorm", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const auto epsilon = static_cast<float>(call.parameters.Number("epsilon", 1e-5));
  std::vector<float> factor = NumbersOf(call, 1);
  const std::vector<float> variance = NumbersOf(call, 4);
  for (std::size_t i = 0; i < factor.size(); ++i) {
    factor[i] /= arithmetic::Sqrt(variance[i] + epsilon);
  }
  const std::size_t rank = call.Input(0).Rank();
  Dimensions shape(ChannelsLast(call) ? 1 : rank - 1, 1);
  shape[0] = static_cast<std::int64_t>(factor.size());
  RowProgram program(call.Input(0));
  const RowProgram::Number x = program.AddInput(0, call.Input(0));
  const RowProgram::Number mean = program.AddConstant(NumbersOf(call, 3), shape);
  const RowProgram::Number scale = program.AddConstant(std::move(factor), shape);
  program.ThenAffine(x, mean, scale, program.AddConstant(NumbersOf(call, 2), shape));
  Prepared prepared = program.Prepare();
  prepared.unread_inputs = {1, 2, 3, 4};
  return prepared;
}

OPLEDGER_KERNEL(BatchNorm, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("2 ulp")
    .Refuses("its statistics are computed at run time, or float64", &HasUnknownStatistics)
    .By("vector")
    .Run(&PrepareVectorBatchNorm);

}  // namespace
}  // namespace opledger
