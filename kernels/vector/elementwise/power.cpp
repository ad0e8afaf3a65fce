// Pow where the exponent is a 2 that is known: squares, correctly rounded.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/loops.h"
#include "kernels/tensor/broadcast.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

bool IsNoSquare(const Call& call) {
  if (call.Input(1).dtype != call.Input(0).dtype || call.constants[1] == nullptr ||
      Elements(call.Shape(1)) != 1 || Broadcast({call.Shape(0), call.Shape(1)}) != call.Shape(0)) {
    return true;
  }
  return LoadNumber(call.Input(1).dtype, call.constants[1], 0) != 2.0F;
}

Prepared PrepareSquare(const Call& call) {
  Call square = call;
  square.inputs.resize(1);
  square.constants.resize(1);
  return ChooseKernel("Square", square, {}).prepared;
}

OPLEDGER_KERNEL(Pow, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp")
    .Refuses("its exponent is not known to be 2", &IsNoSquare)
    .Priority(10)
    .Run(&PrepareSquare);

}  // namespace
}  // namespace opledger
