// Splits operator names into words.
// SPDX-License-Identifier: Apache-2.0
#include "checker/candidates/name_words.h"

namespace opledger {
namespace {

// Longer names are compared by their first characters only.
constexpr std::size_t kLongestReadName = 200;

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

}  // namespace

std::set<std::string> NameWords(std::string_view name) {
  name = name.substr(0, kLongestReadName);
  std::set<std::string> words;
  std::string word;
  const auto end = [&] {
    if (word.size() > 1) words.insert(word);
    word.clear();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const char before = i > 0 ? name[i - 1] : '\0';
    const char after = i + 1 < name.size() ? name[i + 1] : '\0';
    // exp|Log and LSTM|Cell
    if (IsUpper(c) && (IsLower(before) || (IsUpper(before) && IsLower(after)))) end();
    if (IsUpper(c) || IsLower(c)) {
      word += IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    } else {
      end();
    }
  }
  end();
  return words;
}

}  // namespace opledger
