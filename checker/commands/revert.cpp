// opledger revert: a converted model as it was, by the converter.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands.h"
#include "checker/run_program.h"
#include "checker/terminal.h"

namespace opledger {

int RunRevert(const std::vector<std::string>& arguments) {
  Diagnostics diagnostics;
  std::vector<std::string> all = {"--revert"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  BecomeSibling("opledger-convert", all, diagnostics);
  return Fail(diagnostics);
}

}  // namespace opledger
