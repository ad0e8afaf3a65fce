// Selects the loops for the machine's instruction set.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/loops.h"

#include <cstdlib>
#include <string_view>

namespace opledger::arithmetic {

const Loops& LoopsOf(VectorInstructions set) {
  switch (set) {
    case VectorInstructions::kAvx2:
      return *Avx2Loops();
    case VectorInstructions::kAvx512:
      return *Avx512Loops();
    case VectorInstructions::kPortable:
      break;
  }
  return *PortableLoops();
}

const Loops& WidestLoops() {
  static const Loops& widest = LoopsOf(WidestVectorInstructions());
  return widest;
}

const IntegerLoops& Integers() {
#if defined(__x86_64__)
  static const bool with_vnni = [] {
    const char* limit = std::getenv("OPLEDGER_MAX_INSTRUCTION_SET");  // VNNI is not a value of it
    const bool limited = limit != nullptr && std::string_view(limit) == "avx512";
    return !limited && WidestVectorInstructions() == VectorInstructions::kAvx512 &&
           __builtin_cpu_supports("avx512vnni") != 0;
  }();
  if (with_vnni) return *VnniIntegerLoops();
#endif
  return WidestLoops().integers;
}

const char* UnaryName(Unary function) {
#define OPLEDGER_NAME(name, ulp) #name,
  static constexpr const char* kNames[] = {OPLEDGER_UNARY_LIST(OPLEDGER_NAME)};
#undef OPLEDGER_NAME
  return kNames[static_cast<std::size_t>(function)];
}

double UlpBound(Unary function) {
#define OPLEDGER_ULP(name, ulp) ulp,
  static constexpr double kBounds[] = {OPLEDGER_UNARY_LIST(OPLEDGER_ULP)};
#undef OPLEDGER_ULP
  return kBounds[static_cast<std::size_t>(function)];
}

}  // namespace opledger::arithmetic
