// Text, URIs and regions for SARIF 2.1.0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "registry/text/location.h"

namespace opledger {

// Returns plain message text in which names are not placeholders ("{0}" is written "{{0}}") or
// links (brackets are escaped if "](" occurs). Control characters except line ends become \xNN.
// Cuts at 1,024 bytes before escaping placeholders and brackets.
std::string SarifMessage(std::string_view text);

// Returns a relative reference with all bytes except letters, digits and "-._~/" percent-encoded.
// An absolute path becomes a file: URI.
std::string SarifUri(std::string_view path);

std::string FirstParagraph(std::string_view text);

// A region whose numbers are at least 1 and whose end is not before its start. Columns count UTF-16
// units, SARIF's default. `line` is the text of the first line, or empty if unknown.
struct SarifRegion {
  int start_line = 1;
  int start_column = 1;
  int end_line = 1;
  int end_column = 1;
};
SarifRegion MakeSarifRegion(const Location& location, std::string_view line);

}  // namespace opledger
