// opledger convert: the converter is a program of its own; this becomes it.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands.h"
#include "checker/run_program.h"
#include "checker/terminal.h"

namespace opledger {

int RunConvert(const std::vector<std::string>& arguments) {
  Diagnostics diagnostics;
  BecomeSibling("opledger-convert", arguments, diagnostics);
  return Fail(diagnostics);
}

}  // namespace opledger
