// Quotes text as a JSON string.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// Returns `text` as a quoted JSON string. Bytes that are not UTF-8 become U+FFFD. Control
// characters, DEL, U+2028 and U+2029 are escaped.
std::string JsonQuote(std::string_view text);
void AppendJsonQuoted(std::string_view text, std::string& out);

}  // namespace opledger
