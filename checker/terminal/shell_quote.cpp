// Quotes names in commands for the user to copy.
// SPDX-License-Identifier: Apache-2.0
#include "checker/terminal/shell_quote.h"

#include "registry/text/diagnostics.h"

namespace opledger {
namespace {

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./+:,@%").find(c) != std::string_view::npos;
}

}  // namespace

std::optional<std::string> ShellQuote(std::string_view word) {
  if (word.empty() || word.front() == '-' || Printable(word) != word) return std::nullopt;
  bool plain = true;
  for (const char c : word) plain &= IsPlain(c);
  if (plain) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace opledger
