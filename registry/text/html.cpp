// Escapes the five special characters of HTML.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/html.h"

#include "registry/text/diagnostics.h"

namespace opledger {

std::string HtmlText(std::string_view text) {
  std::string out;
  for (const char c : Printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace opledger
