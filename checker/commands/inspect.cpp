// opledger inspect: what a model holds, by the converter, which reads models.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands.h"
#include "checker/run_program.h"
#include "checker/terminal.h"

namespace opledger {

int RunInspect(std::vector<std::string> arguments) {
  Diagnostics diagnostics;
  arguments.insert(arguments.begin(), "--inspect");
  BecomeSibling("opledger-convert", arguments, diagnostics);
  return Fail(diagnostics);
}

}  // namespace opledger
