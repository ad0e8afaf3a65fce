// Text from outside in HTML and SVG: nothing in it is markup, and nothing acts on a browser. And
// how every page of opledger looks: the conversion report's and the documentation's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// `text` for a place between tags or within a quoted attribute. Control characters, marks that
// reorder text and bytes that are not UTF-8 are shown as \xNN.
std::string HtmlText(std::string_view text);

// The style sheet page.css: colours, text, cards, folds and tables, light or dark as the reader's
// system is. A page's own style goes after it. The classes of .tag are policies and precisions.
// Text has a contrast of at least 4.5 to its background, in light and in dark.
extern const std::string_view kPageStyle;

}  // namespace opledger
