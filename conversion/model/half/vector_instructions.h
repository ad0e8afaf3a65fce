// The vector instructions for which loops are compiled, and those of this machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace opledger {

// Each includes those before it. kPortable: the baseline of the compiler's target; kAvx2: AVX2,
// FMA, F16C; kAvx512: AVX-512 F, BW, DQ, VL.
enum class VectorInstructions { kPortable, kAvx2, kAvx512 };

const char* VectorInstructionsName(VectorInstructions set);  // portable, avx2, avx512
std::optional<VectorInstructions> ParseVectorInstructions(std::string_view name);

// Returns whether this machine and its operating system support it.
bool Runs(VectorInstructions set);

// Returns the widest set that this machine supports, but at most the one in the environment
// variable OPLEDGER_MAX_INSTRUCTION_SET, which is read once.
VectorInstructions WidestVectorInstructions();

}  // namespace opledger
