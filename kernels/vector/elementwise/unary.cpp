// One number in, one out: those functions that kernels/arithmetic has loops of.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/unary.h"

#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

using arithmetic::Unary;

template <Unary kFunction>
Prepared PrepareVectorUnary(const Call& call) {
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  const Dtype dtype = call.Input(0).dtype;
  const std::size_t count = Elements(call.Shape(0));
  prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
    ForParts(count, kPartSize, [&](std::size_t begin, std::size_t end, std::size_t) {
      float tile[kTileSize];
      for (std::size_t at = begin; at < end; at += kTileSize) {
        const std::size_t some = std::min(kTileSize, end - at);
        const float* in = WideRow(dtype, inputs[0], at, some, tile);
        float* out = ResultRow(dtype, outputs[0], at, tile);
        arithmetic::Apply(kFunction, in, out, some);
        StoreRow(dtype, out, outputs[0], at, some);
      }
    });
  };
  return prepared;
}

#define OPLEDGER_VECTOR_UNARY(NAME, FUNCTION, BOUND) \
  OPLEDGER_KERNEL(NAME, "cpu")                       \
      .Types("T", OPLEDGER_VECTOR_FLOATS)            \
      .Accumulates(Dtype::kFloat32)                  \
      .ErrorBound(BOUND)                             \
      .Priority(10)                                  \
      .Run(&PrepareVectorUnary<Unary::k##FUNCTION>);
OPLEDGER_VECTOR_UNARY(Abs, Abs, "exact")
OPLEDGER_VECTOR_UNARY(Neg, Negate, "exact")
OPLEDGER_VECTOR_UNARY(Floor, Floor, "exact")
OPLEDGER_VECTOR_UNARY(Ceil, Ceil, "exact")
OPLEDGER_VECTOR_UNARY(Round, RoundHalfEven, "exact")
OPLEDGER_VECTOR_UNARY(Sqrt, Sqrt, "0.5 ulp")
OPLEDGER_VECTOR_UNARY(Reciprocal, Reciprocal, "0.5 ulp")
OPLEDGER_VECTOR_UNARY(Square, Square, "0.5 ulp")
OPLEDGER_VECTOR_UNARY(Exp, Exp, "4 ulp")
OPLEDGER_VECTOR_UNARY(Expm1, Expm1, "4 ulp")
OPLEDGER_VECTOR_UNARY(Log, Log, "4 ulp")
OPLEDGER_VECTOR_UNARY(Log1p, Log1p, "4 ulp")
OPLEDGER_VECTOR_UNARY(Sin, Sin, "4 ulp")
OPLEDGER_VECTOR_UNARY(Cos, Cos, "4 ulp")
OPLEDGER_VECTOR_UNARY(Tan, Tan, "4 ulp")
OPLEDGER_VECTOR_UNARY(Asin, Asin, "4 ulp")
OPLEDGER_VECTOR_UNARY(Acos, Acos, "4 ulp")
OPLEDGER_VECTOR_UNARY(Atan, Atan, "4 ulp")
OPLEDGER_VECTOR_UNARY(Sinh, Sinh, "4 ulp")
OPLEDGER_VECTOR_UNARY(Cosh, Cosh, "4 ulp")
OPLEDGER_VECTOR_UNARY(Asinh, Asinh, "4 ulp")
OPLEDGER_VECTOR_UNARY(Acosh, Acosh, "4 ulp")
OPLEDGER_VECTOR_UNARY(Atanh, Atanh, "4 ulp")
OPLEDGER_VECTOR_UNARY(Tanh, Tanh, "4 ulp")
OPLEDGER_VECTOR_UNARY(Erf, Erf, "4 ulp")
OPLEDGER_VECTOR_UNARY(Sigmoid, Sigmoid, "4 ulp")
OPLEDGER_VECTOR_UNARY(Softplus, Softplus, "4 ulp")
OPLEDGER_VECTOR_UNARY(Relu, Relu, "exact")
OPLEDGER_VECTOR_UNARY(Gelu, GeluErf, "4 ulp")
OPLEDGER_VECTOR_UNARY(GeluTanh, GeluTanh, "4 ulp")
OPLEDGER_VECTOR_UNARY(Mish, Mish, "4 ulp")

}  // namespace
}  // namespace opledger
