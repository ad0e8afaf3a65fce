// Pow where the exponent is one known number: row by row; a square is correctly rounded.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/loops.h"
#include "kernels/tensor/broadcast.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

bool HasOtherExponent(const Call& call) {
  return call.Input(1).dtype != call.Input(0).dtype || call.constants[1] == nullptr ||
         Elements(call.Shape(1)) != 1 || Broadcast({call.Shape(0), call.Shape(1)}) != call.Shape(0);
}

Prepared PreparePower(const Call& call) {
  const Dtype dtype = call.Input(0).dtype;
  const float exponent = LoadNumber(call.Input(1).dtype, call.constants[1], 0);
  if (exponent == 2.0F) {
    Call square = call;
    square.inputs.resize(1);
    square.constants.resize(1);
    return ChooseKernel("Square", square, {}).prepared;
  }
  const std::size_t count = Elements(call.Shape(0));
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  prepared.workspace = Threads() * kTileSize * sizeof(float);
  prepared.run = [=](const void* const* inputs, void* const* outputs, void* workspace) {
    ForParts(count, kPartSize / 4, [&](std::size_t begin, std::size_t end, std::size_t part) {
      float* own = static_cast<float*>(workspace) + part * kTileSize;
      for (std::size_t at = begin; at < end; at += kTileSize) {
        const std::size_t some = std::min(kTileSize, end - at);
        const float* x = LoadRow(dtype, inputs[0], at, some, own);
        float* result = ResultRow(dtype, outputs[0], at, own);
        arithmetic::Rows().power(x, exponent, result, some);
        StoreRow(dtype, result, outputs[0], at, some);
      }
    });
  };
  return prepared;
}

OPLEDGER_KERNEL(Pow, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp")
    .Refuses("its exponent is not one known number", &HasOtherExponent)
    .Priority(10)
    .Run(&PreparePower);

}  // namespace
}  // namespace opledger
