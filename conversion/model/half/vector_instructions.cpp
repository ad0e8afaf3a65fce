// Uses the compiler's run-time detection, which also checks the operating system.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/half/vector_instructions.h"

#include <cstdlib>

namespace opledger {

const char* VectorInstructionsName(VectorInstructions set) {
  switch (set) {
    case VectorInstructions::kPortable:
      return "portable";
    case VectorInstructions::kAvx2:
      return "avx2";
    case VectorInstructions::kAvx512:
      return "avx512";
  }
  return "";
}

std::optional<VectorInstructions> ParseVectorInstructions(std::string_view name) {
  for (const auto set :
       {VectorInstructions::kPortable, VectorInstructions::kAvx2, VectorInstructions::kAvx512}) {
    if (name == VectorInstructionsName(set)) return set;
  }
  return std::nullopt;
}

bool Runs(VectorInstructions set) {
#if defined(__x86_64__)
  // Every processor with AVX2 has F16C, which clang 14 cannot query.
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  switch (set) {
    case VectorInstructions::kPortable:
      return true;
    case VectorInstructions::kAvx2:
      return avx2;
    case VectorInstructions::kAvx512:
      return avx2 && __builtin_cpu_supports("avx512f") != 0 &&
             __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
             __builtin_cpu_supports("avx512vl") != 0;
  }
#endif
  return set == VectorInstructions::kPortable;
}

VectorInstructions WidestVectorInstructions() {
  static const VectorInstructions widest = [] {
    const char* name = std::getenv("OPLEDGER_MAX_INSTRUCTION_SET");
    const auto limit =
        ParseVectorInstructions(name == nullptr ? "" : name).value_or(VectorInstructions::kAvx512);
    for (const auto set : {VectorInstructions::kAvx512, VectorInstructions::kAvx2}) {
      if (set <= limit && Runs(set)) return set;
    }
    return VectorInstructions::kPortable;
  }();
  return widest;
}

}  // namespace opledger
