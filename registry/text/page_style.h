// How every HTML page of opledger looks: the conversion report's and the documentation's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opledger {

// The style sheet page.css: colours, text, cards, folds and tables, light or dark as the reader's
// system is. A page's own style goes behind it. The classes of .tag are policies and precisions.
// Text has a contrast of at least 4.5 to what is behind it, in light and in dark.
extern const std::string_view kPageStyle;

}  // namespace opledger
