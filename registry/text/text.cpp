// Splits text. Brackets of all kinds are counted together, since well-formed text closes each with
// its own kind.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/text.h"

#include <algorithm>

namespace opledger {
namespace {

bool IsOneOf(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// Returns the change in bracket depth at `at`. The '>' of an arrow "->" does not count.
int BracketStep(std::string_view text, std::size_t at) {
  if (text[at] == '>' && at > 0 && text[at - 1] == '-') return 0;
  return IsOneOf(text[at], "([{<") ? 1 : IsOneOf(text[at], ")]}>") ? -1 : 0;
}

}  // namespace

bool ContainsWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !IsWordCharacter(text[at - 1]);
    if (begins && (end == text.size() || !IsWordCharacter(text[end]))) return true;
  }
  return false;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view Trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::string_view> SplitOutsideBrackets(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (IsOneOf(text[at], "\"'")) at = std::min(text.find(text[at], at + 1), text.size() - 1);
    depth += BracketStep(text, at);
    if (text[at] != separator || depth > 0) continue;
    parts.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  if (!text.empty()) parts.push_back(text.substr(begin));
  return parts;
}

std::size_t ClosingBracket(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    depth += BracketStep(text, at);
    if (depth == 0) return at;
  }
  return text.size();
}

LineIndex::LineIndex(std::string_view text) : starts_{text.starts_with("\xEF\xBB\xBF") ? 3U : 0U} {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    starts_.push_back(at + 1);
  }
}

std::pair<int, int> LineIndex::At(std::size_t offset) const {
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const std::ptrdiff_t line = std::max<std::ptrdiff_t>(next - starts_.begin(), 1);
  const std::size_t start = std::min(Start(static_cast<int>(line)), offset);
  return {static_cast<int>(line), static_cast<int>(offset - start) + 1};
}

std::string_view LineIndex::Line(std::string_view text, int line) const {
  if (line < 1 || line > count()) return {};
  const std::string_view rest = text.substr(Start(line));
  std::string_view found = rest.substr(0, rest.find('\n'));
  if (found.ends_with('\r')) found.remove_suffix(1);
  return found;
}

}  // namespace opledger
