// Splits a source file with rows into tokens, in Python and C++: enough to find the brackets,
// commas and lines around a row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/text/location.h"

namespace opledger {

enum class RowLanguage { kPython, kCpp, kOther };

struct RowToken {
  enum class Kind { kWord, kString, kMark, kDirective };
  Kind kind = Kind::kMark;
  Span span;
};

// An element of a bracket: its first and last token, and the comma after it.
struct RowElement {
  std::size_t first = 0;
  std::size_t last = 0;
  std::optional<std::size_t> comma;
};

// A bracket and its elements. Directives between elements belong to none.
struct RowBracket {
  std::size_t open = 0;
  std::size_t close = 0;
  std::vector<RowElement> elements;
};

class RowText {
 public:
  RowText(std::string_view text, RowLanguage language);

  RowLanguage language() const { return language_; }
  const std::vector<RowToken>& tokens() const { return tokens_; }
  std::string_view Of(std::size_t token) const;
  char Mark(std::size_t token) const;  // '\0' for other tokens

  std::optional<std::size_t> TokenAt(std::size_t offset) const;
  // Returns the bracket around the token, or nullopt if it is not closed.
  std::optional<RowBracket> BracketAround(std::size_t token) const;

  std::size_t LineStart(std::size_t offset) const;
  std::size_t LineEnd(std::size_t offset) const;   // before "\r\n" or "\n"
  std::size_t NextLine(std::size_t offset) const;  // start of the next line
  std::string LineBreak() const;
  std::string_view Between(std::size_t begin, std::size_t end) const;
  bool FirstOnLine(std::size_t offset) const;
  bool IsBlank(std::size_t begin, std::size_t end) const;
  // Returns whether only a comment follows on the line.
  bool EndsLine(std::size_t offset) const;

 private:
  std::size_t SkipComment(std::size_t at) const;
  std::size_t StringEnd(std::size_t at, bool raw) const;
  bool AddDirective(std::size_t& at);

  std::string_view text_;
  RowLanguage language_;
  std::vector<RowToken> tokens_;
};

}  // namespace opledger
