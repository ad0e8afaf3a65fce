// Searches for the keyword as text. Only files that contain it are parsed, to tell comments from
// literals.
// SPDX-License-Identifier: Apache-2.0
#include "checker/findings/suppression.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <set>

#include "registry/text/suggestion.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::string_view kKeyword = "opledger-ignore";
constexpr std::string_view kBlanks = " \t\r";

std::string_view Trim(std::string_view text) { return Trimmed(text, kBlanks); }

// Like text.find(kKeyword, from), but faster: find() stops at every 'o'.
std::size_t FindKeyword(std::string_view text, std::size_t from) {
  const void* found =
      memmem(text.data() + from, text.size() - from, kKeyword.data(), kKeyword.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

bool IsDay(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (const std::size_t i : {0, 1, 2, 3, 5, 6, 8, 9}) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  const int month = 10 * (text[5] - '0') + text[6] - '0';
  const int day = 10 * (text[8] - '0') + text[9] - '0';
  const int year = std::atoi(std::string(text.substr(0, 4)).c_str());
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  const int days = month == 2                                              ? 28 + leap
                   : month == 4 || month == 6 || month == 9 || month == 11 ? 30
                                                                           : 31;
  return month >= 1 && month <= 12 && day >= 1 && day <= days;
}

// Returns the position of the last "[until", ignoring case.
std::size_t FindEndDate(std::string_view reason) {
  constexpr std::string_view kOpen = "[until";
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  const auto found = std::find_end(reason.begin(), reason.end(), kOpen.begin(), kOpen.end(), same);
  return found == reason.end() ? std::string_view::npos
                               : static_cast<std::size_t>(found - reason.begin());
}

// Removes "[until DAY]" from the end of the reason.
void ReadEndDate(std::string_view& reason, Suppression& suppression) {
  const std::size_t open = FindEndDate(reason);
  if (open == std::string_view::npos) return;
  const std::string_view end = reason.substr(open);
  reason = Trim(reason.substr(0, open));
  const bool whole = end.starts_with("[until ") && end.ends_with(']');
  const std::string_view day = whole ? Trim(end.substr(7, end.size() - 8)) : end;
  if (IsDay(day)) {
    suppression.until = day;
  } else {
    suppression.problem = "its end is not a date: write [until YYYY-MM-DD]";
  }
}

void ReadRules(std::string_view text, const std::vector<std::string>& known,
               Suppression& suppression) {
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string rule(Trim(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (rule.empty()) continue;
    suppression.rules.push_back(rule);
    const bool exists = std::find(known.begin(), known.end(), rule) != known.end();
    if (exists || !suppression.problem.empty()) continue;
    const std::string hint = Proposal(rule, known);
    suppression.problem = "there is no rule '" + rule + "'" + (hint.empty() ? "" : "; " + hint);
  }
}

// Parses what follows the keyword: "(RULE, RULE): REASON [until DAY]".
void ReadSuppression(std::string_view text, const std::vector<std::string>& known,
                     Suppression& suppression) {
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos) {
    suppression.problem = "it names no rule: write opledger-ignore(RULE): REASON";
    return;
  }
  ReadRules(text.substr(1, close - 1), known, suppression);
  std::string_view reason = Trim(text.substr(close + 1));
  if (reason.starts_with(':')) reason = Trim(reason.substr(1));
  if (reason.ends_with("*/")) reason = Trim(reason.substr(0, reason.size() - 2));
  ReadEndDate(reason, suppression);
  suppression.reason = reason;
  if (!suppression.problem.empty()) return;
  if (suppression.rules.empty()) {
    suppression.problem = "it names no rule: write opledger-ignore(RULE): REASON";
  } else if (reason.empty()) {
    suppression.problem = "it gives no reason: write opledger-ignore(RULE): REASON";
  }
}

bool IsComment(std::string_view line) {
  const std::string_view text = Trim(line);
  return text.empty() || text.starts_with("//") || text.starts_with('#') ||
         text.starts_with("/*") || text.starts_with('*');
}

// Iterates over the lines of a text, with their numbers from 1.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  // Advances to the line that contains byte `at`.
  void GoTo(std::size_t at) {
    while (End() < at) Next();
  }
  void Next() {
    begin_ = std::min(End() + 1, text_.size());
    ++number_;
  }
  bool AtEnd() const { return begin_ >= text_.size(); }
  std::size_t begin() const { return begin_; }
  std::size_t End() const { return std::min(text_.find('\n', begin_), text_.size()); }
  int number() const { return number_; }
  std::string_view Text() const { return text_.substr(begin_, End() - begin_); }

 private:
  std::string_view text_;
  std::size_t begin_ = 0;
  int number_ = 1;
};

// Returns whether the file is not C++. Its comments then begin with '#', and an apostrophe is an
// ordinary character.
bool IsData(std::string_view path) {
  constexpr std::string_view kEnds[] = {".yaml", ".yml", ".json", ".py", ".toml", ".txt"};
  return std::any_of(std::begin(kEnds), std::end(kEnds),
                     [&](std::string_view end) { return path.ends_with(end); });
}

// Iterates over the comments of a C++ text.
class Comments {
 public:
  explicit Comments(std::string_view text) : text_(text) {}

  // Returns the start of the comment that contains byte `at`, or npos if none does. `at` must not
  // decrease between calls.
  std::size_t Around(std::size_t at) {
    while (end_ <= at && place_ < text_.size()) Next();
    return begin_ <= at && at < end_ ? begin_ : std::string_view::npos;
  }

 private:
  // Advances to the end of the next comment, or of the text.
  void Next() {
    while (place_ < text_.size()) {
      const std::string_view here = text_.substr(place_, 2);
      if (here == "//" || here == "/*") return Take(here == "//");
      if (here.front() == '"') {
        IsRaw() ? SkipRaw() : SkipQuoted('"');
      } else if (here.front() == '\'' && !IsSeparator()) {
        SkipQuoted('\'');
      } else {
        ++place_;
      }
    }
  }

  void Take(bool to_line_end) {
    begin_ = place_;
    if (to_line_end) {
      end_ = LineEnd(place_);
    } else {
      end_ = text_.find("*/", place_ + 2);
      end_ = end_ == std::string_view::npos ? text_.size() : end_ + 2;
    }
    place_ = end_;
  }

  // A line that ends in a backslash continues on the next one.
  std::size_t LineEnd(std::size_t from) const {
    std::size_t end = std::min(text_.find('\n', from), text_.size());
    while (end < text_.size() && end > 0 && text_[end - 1] == '\\') {
      end = std::min(text_.find('\n', end + 1), text_.size());
    }
    return end;
  }

  void SkipQuoted(char quote) {
    for (++place_; place_ < text_.size() && text_[place_] != quote; ++place_) {
      if (text_[place_] == '\n') return;  // not terminated, which is not reported here
      if (text_[place_] == '\\') ++place_;
    }
    ++place_;
  }

  // Returns the identifier or number that ends at place_.
  std::string_view WordBefore() const {
    std::size_t begin = place_;
    const auto in_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '\'';
    };
    while (begin > 0 && in_word(text_[begin - 1])) --begin;
    return text_.substr(begin, place_ - begin);
  }

  bool IsRaw() const {
    const std::string_view word = WordBefore();
    return word == "R" || word == "u8R" || word == "uR" || word == "UR" || word == "LR";
  }

  bool IsSeparator() const {
    const std::string_view word = WordBefore();
    return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0;
  }

  void SkipRaw() {
    const std::size_t open = std::min(text_.find('(', place_), text_.size());
    const std::string close = ')' + std::string(text_.substr(place_ + 1, open - place_ - 1)) + '"';
    const std::size_t end = text_.find(close, open);
    place_ = end == std::string_view::npos ? text_.size() : end + close.size();
  }

  std::string_view text_;
  std::size_t place_ = 0;
  std::size_t begin_ = 0;  // of the last comment
  std::size_t end_ = 0;
};

// The part of a comment on one line.
struct Comment {
  std::size_t begin = 0;
  std::size_t end = 0;  // after "*/", or end of the line's text
  bool closed = true;   // ends on this line
};

Comment FindComment(std::string_view line, std::size_t begin, std::size_t keyword) {
  const std::size_t text_end = line.find_last_not_of(kBlanks) + 1;
  if (line.substr(begin, 2) != "/*") return {begin, text_end, true};
  const std::size_t close = line.find("*/", keyword);
  if (close == std::string_view::npos) return {begin, text_end, false};
  return {begin, close + 2, true};
}

Suppression MakeSuppression(const std::string& path, const Lines& lines, std::size_t keyword,
                            std::size_t begin, const std::vector<std::string>& known) {
  const std::string_view line = lines.Text();
  const Comment comment = FindComment(line, begin, keyword);
  const std::string_view code_before = Trim(line.substr(0, begin));
  const std::string_view code_behind = Trim(line.substr(comment.end));
  const std::size_t text_begin = keyword + kKeyword.size();
  Suppression suppression;
  ReadSuppression(Trim(line.substr(text_begin, comment.end - text_begin)), known, suppression);
  suppression.location = {path, lines.number(), static_cast<int>(keyword) + 1, lines.number(),
                          static_cast<int>(comment.end) + 1};
  suppression.line = lines.number();
  Lines next = lines;
  next.Next();
  if (!code_behind.empty()) {
    const std::size_t after = line.find_first_not_of(kBlanks, comment.end);
    suppression.bytes = {lines.begin() + begin, lines.begin() + after};
  } else if (!code_before.empty()) {
    const std::size_t code = line.substr(0, begin).find_last_not_of(kBlanks) + 1;
    suppression.bytes = {lines.begin() + code, lines.begin() + comment.end};
  } else {
    suppression.bytes = {lines.begin(), next.begin()};
    while (!next.AtEnd() && IsComment(next.Text())) next.Next();
    suppression.line = next.number();
  }
  if (!comment.closed) suppression.bytes = {};
  return suppression;
}

}  // namespace

bool Suppression::Names(std::string_view rule) const {
  return std::find(rules.begin(), rules.end(), rule) != rules.end();
}

std::vector<Suppression> ParseSuppressions(const std::string& path, std::string_view text,
                                           const std::vector<std::string>& known_rules) {
  std::vector<Suppression> found;
  Lines lines(text);
  Comments comments(text);
  const bool is_data = IsData(path);
  for (std::size_t at = FindKeyword(text, 0); at != std::string_view::npos;
       at = FindKeyword(text, lines.End())) {
    lines.GoTo(at);
    const std::size_t keyword = at - lines.begin();
    const std::size_t comment = is_data ? text.substr(0, at).rfind('#') : comments.Around(at);
    if (comment == std::string_view::npos || comment < lines.begin()) continue;
    found.push_back(MakeSuppression(path, lines, keyword, comment - lines.begin(), known_rules));
  }
  return found;
}

std::vector<Suppression> ReadSuppressions(const Manifest& manifest,
                                          const std::vector<PrecisionList>& lists_checked,
                                          SourceLines& lines,
                                          const std::vector<std::string>& known_rules) {
  std::set<std::string_view> paths;
  for (const Operator& op : manifest.operators) {
    for (const Site& site : op.sites) {
      paths.insert(site.location.path);
      paths.insert(site.call.path);
    }
    for (const Alias& alias : op.aliases) paths.insert(alias.location.path);
  }
  for (const Incomplete& incomplete : manifest.incomplete) paths.insert(incomplete.location.path);
  for (const PrecisionList& list : lists_checked) {
    for (const auto& [path, text] : list.source_texts) paths.insert(path);
  }
  std::vector<Suppression> all;
  for (const std::string_view path : paths) {
    const std::string name(path);
    // Few files have one, and keeping all texts takes longer than reading them again.
    const std::string_view text = lines.Peek(name);
    if (FindKeyword(text, 0) == std::string_view::npos) continue;
    std::vector<Suppression> found = ParseSuppressions(name, text, known_rules);
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  return all;
}

std::string SuppressionDate() {
  std::time_t now = std::time(nullptr);
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH"); epoch != nullptr && *epoch != 0) {
    now = static_cast<std::time_t>(std::strtoll(epoch, nullptr, 10));
  }
  std::tm day = {};
  gmtime_r(&now, &day);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &day)};
}

}  // namespace opledger
