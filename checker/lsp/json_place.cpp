// Scans tokens up to the cursor. Ignores everything after it, and errors before it, because the
// text may be half written.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/json_place.h"

#include <utility>

#include "registry/json/json.h"
#include "registry/precision_list/policy.h"

namespace opledger {
namespace {

constexpr std::size_t kDeepest = 128;

struct Level {
  bool is_object = false;
  bool after_colon = false;
  std::string key;  // the last key written
  std::vector<std::pair<std::string, std::string>> texts;
  std::vector<std::string> keys;
};

// Returns the value of a string, or its text if it is malformed.
std::string Unquoted(std::string_view quoted) {
  const bool plain = quoted.size() > 1 && quoted.find('\\') == std::string_view::npos;
  if (plain && quoted.ends_with('"')) return std::string(quoted.substr(1, quoted.size() - 2));
  Diagnostics ignored;
  const auto document = ParseJson("", std::string(quoted), ignored);
  if (document && document->root.kind == JsonValue::Kind::kString) return document->root.string;
  quoted.remove_prefix(1);
  return std::string(quoted);
}

class PlaceFinder {
 public:
  PlaceFinder(std::string_view text, std::size_t offset) : text_(text), offset_(offset) {}

  JsonPlace Find() {
    std::size_t at = 0;
    while (at < text_.size()) {
      const char c = text_[at];
      if (c == '"') {
        const std::size_t end = EndOfString(at);
        // Right after its closing quote, a string is complete.
        if (offset_ <= at) break;
        if (offset_ < end || (offset_ == end && !Closed(at, end))) return InString(at, end);
        Take(Unquoted(text_.substr(at, end - at)));
        at = end;
      } else if (IsWord(c)) {
        std::size_t end = at;
        while (end < text_.size() && IsWord(text_[end])) ++end;
        if (offset_ < at) break;
        if (offset_ <= end) return InWord(at, end);
        at = end;
      } else {
        if (offset_ <= at) break;
        Punctuate(c);
        ++at;
      }
    }
    return Here({offset_, offset_});
  }

 private:
  static bool IsWord(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '+';
  }

  std::size_t EndOfString(std::size_t begin) const {
    for (std::size_t i = begin + 1; i < text_.size(); ++i) {
      if (text_[i] == '\n' || text_[i] == '\r') return i;
      if (text_[i] == '"') return i + 1;
      if (text_[i] == '\\' && i + 1 < text_.size() && text_[i + 1] != '\n') ++i;
    }
    return text_.size();
  }
  bool Closed(std::size_t begin, std::size_t end) const {
    return end > begin + 1 && text_[end - 1] == '"';
  }

  void Punctuate(char c) {
    if (c == '{' || c == '[') {
      if (levels_.size() < kDeepest) {
        levels_.push_back({c == '{', false, {}, {}, {}});
      } else {
        ++deeper_;
      }
    } else if (c == '}' || c == ']') {
      if (deeper_ > 0) {
        --deeper_;
      } else if (!levels_.empty()) {
        levels_.pop_back();
      }
    } else if (c == ':' && !levels_.empty()) {
      levels_.back().after_colon = true;
    } else if (c == ',' && !levels_.empty()) {
      levels_.back().after_colon = false;
    }
  }

  void Take(std::string string) {
    if (levels_.empty() || !levels_.back().is_object) return;
    Level& level = levels_.back();
    if (level.after_colon) {
      level.texts.emplace_back(level.key, std::move(string));
    } else {
      level.keys.push_back(string);
      level.key = std::move(string);
    }
  }

  JsonPlace Here(Span span) const {
    JsonPlace place;
    place.span = span;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const Level& level = levels_[i];
      const bool last = i + 1 == levels_.size();
      place.is_key = last && level.is_object && !level.after_colon;
      if (!place.is_key) place.keys.push_back(level.is_object ? level.key : std::string());
    }
    if (!levels_.empty()) {
      place.before = levels_.back().texts;
      place.keys_there = levels_.back().keys;
    }
    return place;
  }

  JsonPlace InString(std::size_t begin, std::size_t end) const {
    JsonPlace place = Here({begin, end});
    place.in_string = true;
    place.closed = Closed(begin, end);
    place.value = Unquoted(text_.substr(begin, end - begin));
    return place;
  }
  JsonPlace InWord(std::size_t begin, std::size_t end) const {
    JsonPlace place = Here({begin, end});
    place.value = text_.substr(begin, end - begin);
    return place;
  }

  std::string_view text_;
  std::size_t offset_;
  std::vector<Level> levels_;
  std::size_t deeper_ = 0;  // number of levels deeper than kDeepest
};

}  // namespace

JsonPlace JsonPlaceAt(std::string_view text, std::size_t offset) {
  return PlaceFinder(text, offset).Find();
}

bool NamesOperator(const JsonPlace& place) {
  const std::vector<std::string>& keys = place.keys;
  if (place.is_key || keys.size() < 2 || !ParsePolicy(keys[0]) || !keys[1].empty()) return false;
  return keys.size() == 2 || (keys.size() == 3 && keys[2] == "op");
}

}  // namespace opledger
