// Prints to the terminal and decides about color.
// SPDX-License-Identifier: Apache-2.0
#include "checker/terminal/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace opledger {

void Print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void Show(const Diagnostics& diagnostics) {
  const std::string text = RenderDiagnostics(diagnostics);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int Fail(const Diagnostics& diagnostics) {
  Show(diagnostics);
  return diagnostics.incomplete() ? kExitIncomplete : kExitFailed;
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

std::string ShownPlace(const Location& location) {
  if (location.path.empty()) return "opledger";
  std::string place = ShownPath(location.path);
  if (location.line <= 0) return place;
  return place + ':' + std::to_string(location.line) + ':' +
         std::to_string(std::max(location.column, 1));
}

std::string ShownPath(std::string_view path) {
  std::string shown = PrintableWithin(path);
  if (shown.starts_with(':')) shown.insert(0, "./");
  return shown;
}

}  // namespace opledger
