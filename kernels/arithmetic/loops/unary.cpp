// The choice among the loops of unary_loops.h.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/unary.h"

#include "kernels/arithmetic/loops/unary_loops.h"

namespace opledger::arithmetic {

void ApplyBy(VectorInstructions set, Unary function, const float* in, float* out, std::size_t n) {
  switch (set) {
    case VectorInstructions::kPortable:
      return PortableUnaryLoop(function)(in, out, n);
    case VectorInstructions::kAvx2:
      return Avx2UnaryLoop(function)(in, out, n);
    case VectorInstructions::kAvx512:
      return Avx512UnaryLoop(function)(in, out, n);
  }
}

void Apply(Unary function, const float* in, float* out, std::size_t n) {
  ApplyBy(WidestVectorInstructions(), function, in, out, n);
}

const char* UnaryName(Unary function) {
  switch (function) {
#define OPLEDGER_CASE(name, ulp) \
  case Unary::k##name:           \
    return #name;
    OPLEDGER_UNARY_LIST(OPLEDGER_CASE)
#undef OPLEDGER_CASE
  }
  return "";
}

double UlpBound(Unary function) {
  switch (function) {
#define OPLEDGER_CASE(name, ulp) \
  case Unary::k##name:           \
    return ulp;
    OPLEDGER_UNARY_LIST(OPLEDGER_CASE)
#undef OPLEDGER_CASE
  }
  return 0;
}

}  // namespace opledger::arithmetic
