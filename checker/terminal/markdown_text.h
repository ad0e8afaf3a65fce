// Escapes text from outside for Markdown in GitHub and GitLab, so that it contains no markup, links
// or mentions and does not end a table cell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// Returns `text` as <code> with punctuation as character references, because Markdown is parsed
// inside HTML elements, and backslashes do not escape everything everywhere. Cuts at 1,000 bytes.
std::string MarkdownCode(std::string_view text);

// Returns a name or a path as `exp`, or as <code> if a code span cannot hold it.
std::string MarkdownName(std::string_view name);

// Returns plain text without markup, links and ends of cells.
std::string MarkdownText(std::string_view text);

}  // namespace opledger
