// Text, URIs and regions in the form of SARIF 2.1.0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "registry/text/location.h"

namespace opledger {

// Plain message text in which no name becomes a placeholder ("{0}" is written "{{0}}") or a link
// (brackets are escaped where "](" occurs); control characters but line ends as \xNN; at most 1,024
// bytes before that.
std::string SarifMessage(std::string_view text);

// A relative reference: every byte but letters, digits, "-._~/" percent-encoded. An absolute path
// becomes a file: URI.
std::string SarifUri(std::string_view path);

std::string FirstParagraph(std::string_view text);

// All four numbers, 1 or more, the end not before the start. Columns count UTF-16 units, which is
// SARIF's default; `line` is the text of the first line, empty where unknown.
struct SarifRegion {
  int start_line = 1;
  int start_column = 1;
  int end_line = 1;
  int end_column = 1;
};
SarifRegion MakeSarifRegion(const Location& location, std::string_view line);

}  // namespace opledger
