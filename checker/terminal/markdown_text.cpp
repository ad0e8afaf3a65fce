// Character references, since no later step of a renderer takes them for markup.
// SPDX-License-Identifier: Apache-2.0
#include "checker/terminal/markdown_text.h"

#include <cctype>

#include "registry/text/diagnostics.h"

namespace opledger {

std::string MarkdownCode(std::string_view text) {
  constexpr std::string_view kHarmless = " -,/=+";
  constexpr std::size_t kLongest = 1000;  // bytes; more would crowd out everything else
  std::string printable = Printable(text);
  if (printable.size() > kLongest) {
    std::size_t end = kLongest;
    while ((static_cast<unsigned char>(printable[end]) & 0xc0U) == 0x80U) --end;
    printable.replace(end, std::string::npos, "...");
  }
  std::string code = "<code>";
  for (const char c : printable) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::ispunct(byte) != 0 && kHarmless.find(c) == std::string_view::npos) {
      code += "&#" + std::to_string(byte) + ';';
    } else {
      code += c;
    }
  }
  return code + "</code>";
}

}  // namespace opledger
