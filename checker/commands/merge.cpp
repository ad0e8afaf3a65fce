// opledger merge: facts of shards -> operators.json, by the scanner, which knows facts.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands.h"
#include "checker/run_program.h"
#include "checker/terminal.h"

namespace opledger {

int RunMerge(std::vector<std::string> arguments) {
  Diagnostics diagnostics;
  arguments.insert(arguments.begin(), "--merge");
  BecomeSibling("opledger-scan", arguments, diagnostics);
  return Fail(diagnostics);
}

}  // namespace opledger
