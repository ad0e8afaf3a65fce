// Registers oneDNN as a backend, with its version and the instruction set that it uses, which
// ONEDNN_MAX_CPU_ISA may limit.
// SPDX-License-Identifier: Apache-2.0
#include <oneapi/dnnl/dnnl_debug.h>

#include "kernels/machine/backend.h"
#include "kernels/onednn/onednn_versions.h"
#include "kernels/onednn/primitive.h"

namespace opledger::onednn {
namespace {

std::string VersionAndUse(Status&) {
  return Version() + " (" + InstructionSetName(dnnl_cpu_isa2str(dnnl_get_effective_cpu_isa())) +
         ")";
}

[[maybe_unused]] const bool kIsDeclared =
    DeclareBackend({"oneDNN", "cpu", &VersionAndUse, nullptr});

}  // namespace
}  // namespace opledger::onednn
