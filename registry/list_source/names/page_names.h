// Reads the operators that a page lists, by section.
//   Ops that can autocast to ``float32``      ->  "Ops that can autocast to float32": exp, pow
//   """"""""""""""""""""""""""""""""""""
//   ``exp``,
//   ``pow``
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/text/text.h"

namespace opledger {

// A byte range of the text; the end is exclusive.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct PageName {
  std::string name;    // "torch.exp" in ``torch.exp``
  TextRange range;     // including the quotes
  bool alone = false;  // starts an item or a table row; otherwise part of an enumeration
};

struct PageSection {
  std::string title;  // without quotes and emphasis
  TextRange range;    // of the title
  std::vector<PageName> names;
};

// Returns every section with a title. Without `markdown`, reads reStructuredText. Names are read
// from paragraphs that consist only of names, and from the start of items and table rows, but not
// from running text.
std::vector<PageSection> ReadPage(std::string_view text, bool markdown);

// Decides by the file extension.
bool IsMarkdown(std::string_view path);

// Normalizes a title for comparisons: ``a``  *b* -> "a b".
std::string PlainTitle(std::string_view title);

}  // namespace opledger
