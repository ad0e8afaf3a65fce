// The vector instructions that loops over numbers are compiled for, and what this machine has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace opledger {

// Each includes those before it. kPortable: what the compiler's target has everywhere; kAvx2: AVX2,
// FMA, F16C; kAvx512: AVX-512 F, BW, DQ, VL.
enum class VectorInstructions { kPortable, kAvx2, kAvx512 };

const char* VectorInstructionsName(VectorInstructions set);  // portable, avx2, avx512
std::optional<VectorInstructions> ParseVectorInstructions(std::string_view name);

// Whether this machine and its operating system run it.
bool Runs(VectorInstructions set);

// The widest that this machine runs; at most what the environment variable
// OPLEDGER_MAX_INSTRUCTION_SET names, which is read once.
VectorInstructions WidestVectorInstructions();

}  // namespace opledger
