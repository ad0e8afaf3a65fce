// Text from outside in the cells of Markdown tables, readable in the source too: what is harmless
// stays as it is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// A name or a path: `exp`. What a code span cannot hold is <code> with character references.
std::string MarkdownName(std::string_view name);

// Words: nothing in them is markup, a link, or the end of the cell.
std::string MarkdownText(std::string_view text);

}  // namespace opledger
