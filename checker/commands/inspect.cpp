// opledger inspect: what a model holds, by the converter, which reads models.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands.h"
#include "checker/run_program.h"
#include "checker/terminal.h"

namespace opledger {

int RunInspect(const std::vector<std::string>& arguments) {
  Diagnostics diagnostics;
  std::vector<std::string> all = {"--inspect"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  BecomeSibling("opledger-convert", all, diagnostics);
  return Fail(diagnostics);
}

}  // namespace opledger
