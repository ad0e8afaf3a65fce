// Element-wise kernels with any number of inputs of one shape.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/elementwise/row_program.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

using arithmetic::Pair;

template <Pair kPair, bool kAverages>
Prepared PrepareVectorVariadic(const Call& call) {
  RowProgram program(call.Input(0));
  const std::size_t count = call.inputs.size();
  RowProgram::Number result = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!call.Has(i) || call.Input(i) != call.Input(0)) {
      return Refuse("its inputs differ in type or shape");
    }
    const RowProgram::Number input = program.AddInput(i, call.Input(i));
    result = i == 0 ? input : program.Then(kPair, result, input);
  }
  if (count == 1 && !kAverages) program.Round(Dtype::kFloat32, result);
  if (kAverages) program.Then(Pair::kDiv, result, static_cast<float>(count));
  return program.Prepare();
}

#define OPLEDGER_VECTOR_VARIADIC(NAME, PAIR, AVERAGES, BOUND) \
  OPLEDGER_KERNEL(NAME, "cpu")                                \
      .Types("T", OPLEDGER_VECTOR_FLOATS)                     \
      .Accumulates(Dtype::kFloat32)                           \
      .ErrorBound(BOUND)                                      \
      .By("vector")                                           \
      .Run(&PrepareVectorVariadic<Pair::k##PAIR, AVERAGES>);
OPLEDGER_VECTOR_VARIADIC(Sum, Add, false, "0.5 ulp + n * 2^-24")
OPLEDGER_VECTOR_VARIADIC(Mean, Add, true, "0.5 ulp + n * 2^-24")
OPLEDGER_VECTOR_VARIADIC(MaxOf, Max, false, "exact")
OPLEDGER_VECTOR_VARIADIC(MinOf, Min, false, "exact")

}  // namespace
}  // namespace opledger
