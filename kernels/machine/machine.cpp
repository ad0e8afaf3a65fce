// Reads cpuid, through the compiler's builtins where it has a name for the feature.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/machine.h"

#include <cstdlib>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "conversion/model/half/vector_instructions.h"

namespace opledger {
namespace {

struct Feature {
  std::string_view name;
  bool there;
};

#if defined(__x86_64__)
// Reads a bit of cpuid's extended features: leaf 7, EAX or EDX of a subleaf. See Intel's Software
// Developer's Manual, CPUID.
bool HasFeature(unsigned subleaf, bool in_edx, unsigned bit) {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, subleaf, &a, &b, &c, &d) != 0 && ((in_edx ? d : a) >> bit & 1U) != 0;
}
#endif

// In the order in which OPLEDGER_MAX_INSTRUCTION_SET cuts them off.
const Feature* Table() {
#if defined(__x86_64__)
  static const Feature kTable[] = {
      {"avx2", Runs(VectorInstructions::kAvx2)},
      {"avx512", Runs(VectorInstructions::kAvx512)},
      {"avx512_bf16", __builtin_cpu_supports("avx512f") != 0 && HasFeature(1, false, 5)},
      {"amx_bf16", HasFeature(0, true, 22)},
      {"", false}};
#else
  static const Feature kTable[] = {{"", false}};
#endif
  return kTable;
}

// Returns whether the machine has an instruction set and the environment lets the program use it.
bool HasInstructionSet(std::string_view name) {
  static const char* const kMax = std::getenv("OPLEDGER_MAX_INSTRUCTION_SET");
  if (kMax != nullptr && std::string_view(kMax) == "portable") return false;
  for (const Feature* each = Table(); !each->name.empty(); ++each) {
    if (each->name == name) return each->there;
    if (kMax != nullptr && each->name == kMax) return false;
  }
  return false;
}

std::string InstructionSetsThat(bool are_there) {
  std::string all;
  for (const Feature* each = Table(); !each->name.empty(); ++each) {
    if (HasInstructionSet(each->name) != are_there) continue;
    all += (all.empty() ? "" : " ") + std::string(each->name);
  }
  return all;
}

}  // namespace

std::string InstructionSets() {
  const std::string all = InstructionSetsThat(true);
  return all.empty() ? "portable" : all;
}

std::string MissingInstructionSets() { return InstructionSetsThat(false); }

}  // namespace opledger
