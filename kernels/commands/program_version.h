// What opledger-run says of itself: its version, and what its kernels rest on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

// "opledger-run 0.1.0, oneDNN 2.6.3 (avx512_core_amx), on avx2 avx512, no CUDA module"
std::string ProgramVersion();

}  // namespace opledger
