// What a command prints to.
// SPDX-License-Identifier: Apache-2.0
#include "checker/terminal/terminal.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "checker/commands/commands.h"

namespace opledger {

void Show(const Diagnostics& diagnostics) {
  const std::string text = RenderDiagnostics(diagnostics);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int Fail(const Diagnostics& diagnostics) {
  Show(diagnostics);
  return kExitFailed;
}

ColorUse DecideColor(const std::string& choice) {
  if (choice != "auto") return {choice == "always", "--color"};
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return {false, "NO_COLOR"};
  const char* terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return {false, "TERM"};
  if (isatty(STDOUT_FILENO) == 1) return {true, "a terminal"};
  return {false, "no terminal"};
}

bool UseColor(const std::string& choice) { return DecideColor(choice).on; }

}  // namespace opledger
