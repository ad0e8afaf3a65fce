// Escapes external text for HTML and SVG, so that it contains no markup and cannot affect a
// browser. Also the common style of opledger's pages: conversion report and documentation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opledger {

// Escapes `text` for use between tags or in a quoted attribute. Control characters, characters that
// reorder text and bytes that are not UTF-8 are shown as \xNN.
std::string HtmlText(std::string_view text);

// The style sheet page.css: colors, text, cards, folds and tables, in light or dark mode by the
// reader's system setting. A page's own style goes after it. The classes of .tag are policies and
// precisions. Text has a contrast of at least 4.5 in both modes.
extern const std::string_view kPageStyle;

}  // namespace opledger
