// By the compiler's run-time detection, which asks the operating system too.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/instruction_set.h"

#include <cstdlib>

namespace opledger {

const char* InstructionSetName(InstructionSet set) {
  switch (set) {
    case InstructionSet::kPortable:
      return "portable";
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kAvx512:
      return "avx512";
  }
  return "";
}

std::optional<InstructionSet> ParseInstructionSet(std::string_view name) {
  for (const auto set :
       {InstructionSet::kPortable, InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    if (name == InstructionSetName(set)) return set;
  }
  return std::nullopt;
}

bool Runs(InstructionSet set) {
#if defined(__x86_64__)
  // Every processor with AVX2 has F16C, which clang 14 cannot ask for.
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  switch (set) {
    case InstructionSet::kPortable:
      return true;
    case InstructionSet::kAvx2:
      return avx2;
    case InstructionSet::kAvx512:
      return avx2 && __builtin_cpu_supports("avx512f") != 0 &&
             __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
             __builtin_cpu_supports("avx512vl") != 0;
  }
#endif
  return set == InstructionSet::kPortable;
}

InstructionSet WidestInstructionSet() {
  static const InstructionSet widest = [] {
    const char* name = std::getenv("OPLEDGER_MAX_CPU_ISA");
    const auto limit =
        ParseInstructionSet(name == nullptr ? "" : name).value_or(InstructionSet::kAvx512);
    for (const auto set : {InstructionSet::kAvx512, InstructionSet::kAvx2}) {
      if (set <= limit && Runs(set)) return set;
    }
    return InstructionSet::kPortable;
  }();
  return widest;
}

}  // namespace opledger
