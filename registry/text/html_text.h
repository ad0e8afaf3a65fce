// Text from outside in HTML and SVG: nothing in it is markup, and nothing acts on a browser.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// `text` for a place between tags or within a quoted attribute. Control characters, marks that
// reorder text and bytes that are not UTF-8 are shown as \xNN.
std::string HtmlText(std::string_view text);

}  // namespace opledger
