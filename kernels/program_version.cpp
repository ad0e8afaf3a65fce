// `opledger-run --version`, which `opledger doctor` repeats. No GPU is asked for.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/program_version.h"

#include "kernels/cuda/loader.h"
#include "kernels/instruction_set.h"
#include "kernels/library.h"
#include "registry/version.h"

namespace opledger {

std::string ProgramVersion() {
  return std::string("opledger-run ") + Version() + ", " + Libraries() + ", on " +
         InstructionSets() + ", " + cuda::ModuleState();
}

}  // namespace opledger
