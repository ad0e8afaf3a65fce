// The registry of kernels as text and as a manifest.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel/kernel_list.h"

#include <algorithm>

#include "kernels/kernel/kernel.h"
#include "registry/manifest/manifest.h"

namespace opledger {
namespace {

// "MatMul cpu: T: bfloat16, float32; accumulate: float32; error_bound: 2 ulp"
std::string Line(std::string_view name, const Kernel& kernel) {
  std::string line = std::string(name) + " " + kernel.device + ":";
  const char* separator = " ";
  for (const auto& [variable, types] : kernel.types) {
    line += separator + variable + ": ";
    for (const std::string& dtype : types.dtypes) {
      line += (&dtype == types.dtypes.data() ? "" : ", ") + dtype;
    }
    separator = "; ";
  }
  for (const auto& [detail, said] : kernel.details) {
    line += separator + detail + ": " + said;
    separator = "; ";
  }
  return line + "\n";
}

}  // namespace

std::string ListKernels(std::string_view format) {
  std::string text;
  Manifest manifest;
  manifest.dialect = "opledger";
  manifest.configuration = "union";
  for (const auto& [name, entries] : Kernels()) {
    Operator& op = manifest.operators.emplace_back();
    op.name = name;
    op.sites.emplace_back().location.path = "kernels";
    for (const KernelEntry* entry : entries) {
      op.kernels.push_back(entry->Declaration());
      text += Line(name, op.kernels.back());
    }
    std::sort(op.kernels.begin(), op.kernels.end());
  }
  return format == "json" ? WriteManifest(manifest) : text;
}

}  // namespace opledger
