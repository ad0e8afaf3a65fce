// The libraries that kernels rest on, as they name themselves: what a figure or a bit depends on
// besides our own code. Whoever has kernels of a library declares it; a build may have none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

struct KernelLibrary {
  std::string (*version)();          // "oneDNN 2.6.3"
  std::string (*instruction_set)();  // that it uses on this machine: "avx512_core_amx"
};

// Before main; gives true.
bool DeclareLibrary(const KernelLibrary& library);

// "oneDNN 2.6.3 (avx512_core_amx)", several with commas between; "no oneDNN": there is none.
std::string Libraries();

}  // namespace opledger
