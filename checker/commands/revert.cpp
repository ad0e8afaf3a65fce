// opledger revert: a converted model as it was, by the converter.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands.h"
#include "checker/run_program.h"
#include "checker/terminal.h"

namespace opledger {

int RunRevert(std::vector<std::string> arguments) {
  Diagnostics diagnostics;
  arguments.insert(arguments.begin(), "--revert");
  BecomeSibling("opledger-convert", arguments, diagnostics);
  return Fail(diagnostics);
}

}  // namespace opledger
