// opledger merge: facts of shards -> operators.json, by the scanner, which knows facts.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands.h"
#include "checker/run_program.h"
#include "checker/terminal.h"

namespace opledger {

int RunMerge(const std::vector<std::string>& arguments) {
  Diagnostics diagnostics;
  std::vector<std::string> all = {"--merge"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  BecomeSibling("opledger-scan", all, diagnostics);
  return Fail(diagnostics);
}

}  // namespace opledger
