// What needs nothing else of the project: text and bytes taken apart and put together, diagnostics,
// dtypes, globs, places in files. In: text. Out: text, small values.
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

// "1 finding", "2 findings": `thing` is one of them; several get an "s".
inline std::string Counted(std::uint64_t count, std::string_view thing) {
  return (std::to_string(count) + ' ').append(thing).append(count == 1 ? "" : "s");
}

// Of an identifier of C++.
inline bool IsWordCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Whether the text has the word, not only as a part of another.
bool ContainsWord(std::string_view text, std::string_view word);

// ASCII letters alone.
std::string LowerCase(std::string_view text);

// Without the blanks at both ends.
std::string_view Trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

// The items, or what `text_of` makes of each, with a separator between them: {"a", "b"} -> "a, b".
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

// The parts between separators; none for an empty text: "a,,b" -> a, "", b.
std::vector<std::string_view> SplitAt(std::string_view text, char separator);

// The same, brackets and quoted text being whole: "T, (a, b), 'c,d'" -> "T", " (a, b)", " 'c,d'".
std::vector<std::string_view> SplitOutsideBrackets(std::string_view text, char separator);

// The index of what closes the bracket at `open`; the size of the text where nothing does.
std::size_t ClosingBracket(std::string_view text, std::size_t open);

// Where the lines of a text begin; a byte-order mark is before the first.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text = {});

  int count() const { return static_cast<int>(starts_.size()); }
  // Line and column of a byte, both from 1.
  std::pair<int, int> At(std::size_t offset) const;
  std::size_t Start(int line) const { return starts_[static_cast<std::size_t>(line) - 1]; }
  // A line of that text without its end; empty where it has no such line.
  std::string_view Line(std::string_view text, int line) const;

 private:
  std::vector<std::size_t> starts_;
};

}  // namespace opledger
