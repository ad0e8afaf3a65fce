// What libraries say of themselves.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/library.h"

#include <vector>

namespace opledger {
namespace {

// Declarations are static objects of other files: this one exists before the first of them.
std::vector<KernelLibrary>& DeclaredLibraries() {
  static std::vector<KernelLibrary> libraries;
  return libraries;
}

}  // namespace

bool DeclareLibrary(const KernelLibrary& library) {
  DeclaredLibraries().push_back(library);
  return true;
}

std::string Libraries() {
  std::string all;
  for (const KernelLibrary& library : DeclaredLibraries()) {
    all += (all.empty() ? "" : ", ") + library.version() + " (" + library.instruction_set() + ")";
  }
  return all.empty() ? "no oneDNN" : all;
}

}  // namespace opledger
