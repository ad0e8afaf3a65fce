// Utilities that need nothing else of the project: splitting and joining text and bytes,
// diagnostics, dtypes, globs, locations in files. In: text. Out: text, small values.
// May include: nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opledger {

// Returns "1 finding" or "2 findings"; `thing` is the singular, and the plural has an "s".
inline std::string Counted(std::uint64_t count, std::string_view thing) {
  return (std::to_string(count) + ' ').append(thing).append(count == 1 ? "" : "s");
}

// Returns whether the character may be in a C++ identifier.
inline bool IsWordCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Returns whether the text contains the word as a whole word.
bool ContainsWord(std::string_view text, std::string_view word);

// Converts only ASCII letters.
std::string LowerCase(std::string_view text);

// Removes `blanks` from both ends.
std::string_view Trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

// Joins the items, or the results of `text_of`, with a separator: {"a", "b"} -> "a, b".
template <typename Items, typename TextOf = std::identity>
std::string Join(const Items& items, std::string_view separator, TextOf text_of = {}) {
  std::string text;
  bool first = true;
  for (const auto& item : items) {
    if (!std::exchange(first, false)) text += separator;
    text += std::invoke(text_of, item);
  }
  return text;
}

// Returns the parts between separators: "a,,b" -> "a", "", "b". Empty for an empty text.
std::vector<std::string_view> SplitAt(std::string_view text, char separator);

// Like SplitAt, but does not split brackets and quoted text: "T, (a, b), 'c,d'" -> "T", " (a, b)",
// " 'c,d'".
std::vector<std::string_view> SplitOutsideBrackets(std::string_view text, char separator);

// Returns the index of the bracket that closes the one at `open`, or the size of the text if there
// is none.
std::size_t ClosingBracket(std::string_view text, std::size_t open);

// Indexes the lines of a text; a byte-order mark precedes the first line.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text = {});

  int count() const { return static_cast<int>(starts_.size()); }
  // Returns line and column of a byte, both from 1.
  std::pair<int, int> At(std::size_t offset) const;
  std::size_t Start(int line) const { return starts_[static_cast<std::size_t>(line) - 1]; }
  // Returns a line of that text without its end, or an empty string if there is no such line.
  std::string_view Line(std::string_view text, int line) const;

 private:
  std::vector<std::size_t> starts_;
};

}  // namespace opledger
