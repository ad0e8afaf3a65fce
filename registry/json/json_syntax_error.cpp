// Describes errors in malformed JSON: what is wrong, where, and how to fix it.
// SPDX-License-Identifier: Apache-2.0
#include "registry/json/json_syntax_error.h"

#include <algorithm>

#include "registry/text/suggestion.h"

namespace opledger {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// Returns the start of the offending token, the last one before `read`. Since the last accepted
// token, the parser has accepted only commas and colons.
std::size_t OffendingToken(std::string_view text, std::size_t accepted, std::size_t read) {
  std::size_t begin = accepted;
  while (true) {
    begin = std::min(text.find_first_not_of(kSpace, begin), text.size());
    const bool separator = begin < text.size() && (text[begin] == ',' || text[begin] == ':');
    if (!separator || begin + 1 >= read) return begin;
    ++begin;
  }
}

// Returns the span of the whole word at `begin`, even if invalid, for the caret.
Span Word(std::string_view text, std::size_t begin) {
  if (begin >= text.size()) return {begin, begin};
  std::size_t end = begin;
  if (text[begin] == '"') {
    const std::size_t line_end = std::min(text.find('\n', begin), text.size());
    for (end = begin + 1; end < line_end && text[end] != '"'; ++end) {
      if (text[end] == '\\') ++end;
    }
    end = std::min(end + 1, line_end);
  } else if (std::string_view(",:[]{}").find(text[begin]) != std::string_view::npos) {
    end = begin + 1;
  } else {
    end = std::min(text.find_first_of(" \t\r\n,:[]{}\"", begin), text.size());
  }
  return {begin, std::max(end, begin + 1)};
}

std::string TokenName(std::string_view name, bool expected) {
  if (name == "end of input") return "the end of the file";
  if (name == "string literal") return expected ? "a field name in double quotes" : "a string";
  if (name == "number literal") return "a number";
  if (name == "true literal" || name == "false literal" || name == "null literal") {
    return "'" + std::string(name.substr(0, name.find(' '))) + "'";
  }
  if (expected && name == "']'") return "',' or ']'";
  if (expected && name == "'}'") return "',' or '}'";
  if (name == "'[', '{', or a literal") return "a value";
  return std::string(name);
}

bool CommaBefore(std::string_view text, std::size_t begin) {
  if (begin == 0) return false;
  const std::size_t before = text.find_last_not_of(kSpace, begin - 1);
  return before != std::string_view::npos && text[before] == ',';
}

// Handles "unexpected X; expected Y".
JsonSyntaxError Unexpected(std::string_view text, std::size_t begin, std::string_view detail) {
  constexpr std::string_view kUnexpected = "unexpected ";
  constexpr std::string_view kExpected = "; expected ";
  const std::size_t middle = detail.find(kExpected);
  const std::string_view found =
      detail.substr(kUnexpected.size(), std::min(middle, detail.size()) - kUnexpected.size());
  const std::string_view wanted =
      middle == std::string_view::npos ? "value" : detail.substr(middle + kExpected.size());
  JsonSyntaxError error{.span = Word(text, begin)};
  if (begin >= text.size()) {
    // Points after the last visible byte, not at an empty line below it.
    const std::size_t last = text.find_last_not_of(kSpace);
    error.span.begin = error.span.end = last == std::string_view::npos ? 0 : last + 1;
  }
  error.message = "expected " + TokenName(wanted, true) + ", not " + TokenName(found, false);
  const bool closes = found == "']'" || found == "'}'";
  if (closes && CommaBefore(text, begin)) {
    error.hint = "remove the comma before it";
  } else if (!closes && found != "end of input" && found != "':'" && found != "','" &&
             (wanted == "']'" || wanted == "'}'")) {
    error.hint = text[begin] >= '0' && text[begin] <= '9' && begin > 0 && text[begin - 1] == '0'
                     ? "write numbers without leading zeros"
                     : "put a comma before it";
  }
  return error;
}

JsonSyntaxError BadWord(std::string_view text, std::size_t begin, bool is_name) {
  JsonSyntaxError error{.span = Word(text, begin)};
  const std::string_view word = text.substr(begin, error.span.end - begin);
  error.message = "expected a value";
  if (word.starts_with("//") || word.starts_with("/*") || word.starts_with("#")) {
    error.message = "JSON does not support comments";
    error.hint = "use a \"$comment\" field";
  } else if (word.starts_with("'")) {
    error.message = "strings must use double quotes";
  } else if (is_name) {
    error.message = "expected a field name in double quotes";
  } else if (word.size() <= 40) {
    error.message = "'" + std::string(word) + "' is not a JSON value";
    error.hint = DidYouMean(word, {"true", "false", "null"});
  }
  return error;
}

JsonSyntaxError BadString(std::string_view text, std::size_t begin, std::size_t read,
                          std::string_view detail) {
  const std::size_t last = std::max(read, begin + 1) - 1;  // where the parser stopped
  if (detail == "missing closing quote" || (last < text.size() && text[last] == '\n')) {
    Span span = Word(text, begin);
    while (span.end > begin + 1 && text[span.end - 1] == '\r') --span.end;
    return {span, "unterminated string", "put a '\"' at its end"};
  }
  JsonSyntaxError error{.span = {last, std::min(last + 1, text.size())}};
  if (detail.starts_with("ill-formed UTF-8")) {
    error.message = "the string is not valid UTF-8";
    error.hint = "save the file as UTF-8";
  } else {
    error.message = "bad string: " + std::string(detail);
  }
  return error;
}

}  // namespace

namespace {

constexpr std::size_t kMarkerSize = 7;  // of "<<<<<<<" etc. at the start of a line

bool IsConflictMarker(std::string_view text, std::size_t begin) {
  const std::string_view word = text.substr(std::min(begin, text.size()), kMarkerSize);
  if (begin > 0 && text[begin - 1] != '\n') return false;
  return word == "<<<<<<<" || word == "=======" || word == ">>>>>>>" || word == "|||||||";
}

}  // namespace

JsonSyntaxError DescribeSyntaxError(std::string_view text, std::size_t accepted, std::size_t read,
                                    std::string_view detail) {
  constexpr std::string_view kString = "invalid string: ";
  const std::size_t begin = OffendingToken(text, accepted, read);
  if (IsConflictMarker(text, begin)) {
    return {{begin, begin + kMarkerSize},
            "unresolved merge conflict",
            "resolve it, then `git add` the file"};
  }
  if (detail.starts_with("unexpected ")) return Unexpected(text, begin, detail);
  if (begin >= text.size()) return {{text.size(), text.size()}, std::string(detail), {}};
  if (detail.starts_with(kString)) {
    return BadString(text, begin, read, detail.substr(kString.size()));
  }
  if (detail.starts_with("number overflow")) {
    return {Word(text, begin), "the number is too large", "the largest is about 1.8e308"};
  }
  if (detail.starts_with("invalid number")) {
    return {Word(text, begin), "invalid number: " + std::string(detail.substr(16)), {}};
  }
  return BadWord(text, begin, detail == "invalid name");
}

}  // namespace opledger
