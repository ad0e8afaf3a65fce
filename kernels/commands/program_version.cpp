// `opledger-run --version`, which `opledger doctor` repeats. Does not access a GPU.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/commands/commands.h"
#include "kernels/machine/backend.h"
#include "kernels/machine/machine.h"
#include "registry/project/version.h"

namespace opledger {

std::string ProgramVersion() {
  return std::string("opledger-run ") + Version() + ", " + BackendsOf("cpu") + ", on " +
         InstructionSets() + ", " + BackendsOf("cuda");
}

}  // namespace opledger
