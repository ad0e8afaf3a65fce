// Text from outside in Markdown that GitHub and GitLab show: nothing in it is markup, a link, a
// mention or the end of a table's cell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// `text` as <code>, punctuation as character references: Markdown parses inside of HTML elements,
// and a backslash does not escape everything everywhere. Cut at 1,000 bytes.
std::string MarkdownCode(std::string_view text);

// A name or a path: `exp`. What a code span cannot hold is <code> with character references.
std::string MarkdownName(std::string_view name);

// Words: nothing in them is markup, a link, or the end of the cell.
std::string MarkdownText(std::string_view text);

}  // namespace opledger
