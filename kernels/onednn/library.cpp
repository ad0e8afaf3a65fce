// oneDNN's name for itself, and for what it uses of the processor: ONEDNN_MAX_CPU_ISA may hold it
// to less.
// SPDX-License-Identifier: Apache-2.0
#include <oneapi/dnnl/dnnl_debug.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>

#include "kernels/machine/machine.h"
#include "kernels/onednn/primitive.h"

namespace opledger::onednn {
namespace {

// oneDNN 2.6 calls it "cpu_isa_avx2" in one place and "avx2" in another.
std::string EffectiveInstructionSet() {
  constexpr std::string_view kPrefix = "cpu_isa_";
  const std::string_view name = dnnl_cpu_isa2str(dnnl_get_effective_cpu_isa());
  return std::string(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name);
}

[[maybe_unused]] const bool kIsDeclared = DeclareLibrary({&Version, &EffectiveInstructionSet});

}  // namespace
}  // namespace opledger::onednn
