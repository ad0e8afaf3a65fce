// How every HTML page of opledger looks: the conversion report's and the documentation's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opledger {

// A style sheet: colours, text, cards, folds and tables, light or dark as the reader's system is.
// Of a page of one's own, the style goes behind it. The classes of .tag are policies and
// precisions.
const char* PageStyle();

}  // namespace opledger
