// Prints the registry of kernels as text and as a manifest.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel/kernel_list.h"

#include <algorithm>

#include "kernels/kernel/kernel.h"
#include "kernels/machine/backend.h"
#include "kernels/machine/machine.h"
#include "registry/manifest/manifest.h"
#include "registry/text/text.h"

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

// "reference: 175 kernels", and the libraries and instruction sets of each implementation.
std::string Summary() {
  std::map<std::string_view, std::uint64_t> counts;
  for (const auto& [name, entries] : Kernels()) {
    for (const KernelEntry* entry : entries) ++counts[entry->implementation_name()];
  }
  std::string text;
  for (const auto& [implementation, count] : counts) {
    text += std::string(implementation) + ": " + Counted(count, "kernel");
    if (implementation == "vector") {
      const std::string missing = MissingInstructionSets();
      text +=
          ", on " + InstructionSets() + (missing.empty() ? "" : "; not available here: " + missing);
    } else if (implementation == "oneDNN") {
      text += ", " + BackendsOf("cpu");
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string ListKernels(std::string_view format) {
  if (format == "summary") return Summary();
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
