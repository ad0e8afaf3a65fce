// Pow with a constant scalar exponent; squares are correctly rounded.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/broadcast.h"
#include "kernels/vector/elementwise/row_program.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

bool HasOtherExponent(const Call& call) {
  return call.Input(1).dtype != call.Input(0).dtype || call.constants[1] == nullptr ||
         Elements(call.Shape(1)) != 1 || Broadcast({call.Shape(0), call.Shape(1)}) != call.Shape(0);
}

void PowerRow(const float* in, float* out, std::size_t n, float exponent, float) {
  if (exponent == 2.0F) return arithmetic::Apply(arithmetic::Unary::kSquare, in, out, n);
  arithmetic::Rows().power(in, exponent, out, n);
}

Prepared PreparePower(const Call& call) {
  const float exponent = LoadNumber(call.Input(1).dtype, call.constants[1], 0);
  RowProgram program(call.Input(0));
  program.Then(&PowerRow, program.AddInput(0, call.Input(0)), exponent, 0);
  return program.Prepare();
}

OPLEDGER_KERNEL(Pow, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp")
    .Refuses("its exponent is not a constant scalar", &HasOtherExponent)
    .By("vector")
    .Run(&PreparePower);

}  // namespace
}  // namespace opledger
