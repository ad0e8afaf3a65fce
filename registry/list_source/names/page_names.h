// The operators that a page lists, section by section.
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

// Bytes of the text, the end exclusive.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct PageName {
  std::string name;    // "torch.exp" of ``torch.exp``
  TextRange range;     // with its quotes
  bool alone = false;  // begins an item or a table row; else an enumeration goes on on both sides
};

struct PageSection {
  std::string title;  // without quotes and emphasis
  TextRange range;    // of the title
  std::vector<PageName> names;
};

// Every section with a title. `markdown`: else reStructuredText. Names count in a paragraph that is
// nothing but names, and at the beginning of an item or a table row; not in running text.
std::vector<PageSection> ReadPage(std::string_view text, bool markdown);

// By the ending of its name.
bool IsMarkdown(std::string_view path);

// A title as it is compared: ``a``  *b* -> "a b".
std::string PlainTitle(std::string_view title);

}  // namespace opledger
