// opledger run: models run in a program of their own; this becomes it.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands.h"
#include "checker/run_program.h"
#include "checker/terminal.h"

namespace opledger {

int RunRun(const std::vector<std::string>& arguments) {
  Diagnostics diagnostics;
  BecomeSibling("opledger-run", arguments, diagnostics);
  return Fail(diagnostics);
}

}  // namespace opledger
