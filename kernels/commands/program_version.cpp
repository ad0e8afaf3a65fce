// `opledger-run --version`, which `opledger doctor` repeats. No GPU is asked for.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/commands/commands.h"
#include "kernels/cuda/chain/loader.h"
#include "kernels/machine/machine.h"
#include "registry/project/version.h"

namespace opledger {

std::string ProgramVersion() {
  return std::string("opledger-run ") + Version() + ", " + Libraries() + ", on " +
         InstructionSets() + ", " + cuda::ModuleState();
}

}  // namespace opledger
