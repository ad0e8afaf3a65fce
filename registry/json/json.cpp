// JSON with positions: a parser of one token ahead. What is wrong is told with what was expected
// there: ["a" "b"] -> expected ',' or ']', not a string; hint: put a comma before it.
// SPDX-License-Identifier: Apache-2.0
#include "registry/json/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "registry/platform/files.h"
#include "registry/text/suggestion.h"
#include "registry/text/utf8.h"

namespace opledger {
namespace {

constexpr std::size_t kMaximumDepth = 128;

// A value costs 128 bytes and may take two in the file: this bounds memory at about 1 GB.
constexpr std::size_t kMaximumValues = 8'000'000;

constexpr std::size_t kMaximumFileSize = std::size_t{256} << 20;

// A caret further right than this, in a file without line breaks, helps nobody.
constexpr std::size_t kMaximumSourceLine = 65536;

// Objects up to this size are searched for duplicate keys pair by pair.
constexpr std::size_t kSmallObject = 12;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kSpace = " \t\r\n";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Of a string, what stands for itself and is one byte.
bool IsPlain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

// A token is what it begins with: punctuation, a letter of true, false or null, or one of these.
constexpr char kEnd = '\0';
constexpr char kString = '"';
constexpr char kNumber = '0';

std::string TokenName(char token) {
  switch (token) {
    case kEnd:
      return "the end of the file";
    case kString:
      return "a string";
    case kNumber:
      return "a number";
    case 't':
      return "'true'";
    case 'f':
      return "'false'";
    case 'n':
      return "'null'";
    default:
      return {'\'', token, '\''};
  }
}

class JsonParser {
 public:
  JsonParser(JsonDocument& document, Diagnostics& diagnostics)
      : document_(document), text_(document.text), diagnostics_(diagnostics) {
    if (text_.starts_with(kByteOrderMark)) span_.end = kByteOrderMark.size();
  }

  bool Parse() {
    return Next() && Value(document_.root, 0) &&
           (token_ == kEnd || Unexpected("the end of the file")) && ok_;
  }

 private:
  // All these give false after an error, with which parsing ends.

  bool Fail(Span span, std::string message, std::string hint = {}) {
    ErrorAt(document_, span, std::move(message), std::move(hint), diagnostics_);
    return ok_ = false;
  }

  bool BadString(std::size_t at, const std::string& message, std::string hint = {}) {
    return Fail({at, std::min(at + 1, text_.size())}, message, std::move(hint));
  }

  bool Value(JsonValue& value, std::size_t depth) {
    if (++values_ > kMaximumValues) {
      return Fail(span_, "more than " + std::to_string(kMaximumValues) + " values",
                  "split the file");
    }
    value.span = span_;
    switch (token_) {
      case '{':
      case '[':
        if (depth == kMaximumDepth) {
          return Fail(span_, "nested more than " + std::to_string(kMaximumDepth) + " deep");
        }
        return token_ == '{' ? Object(value, depth + 1) : Array(value, depth + 1);
      case kString:
        value.kind = JsonValue::Kind::kString;
        value.string = string_;
        return Next();
      case kNumber:
        return Number(value) && Next();
      case 't':
      case 'f':
        value.kind = JsonValue::Kind::kBoolean;
        value.boolean = token_ == 't';
        return Next();
      case 'n':
        return Next();
      default:
        return Unexpected("a value");
    }
  }

  bool Array(JsonValue& array, std::size_t depth) {
    array.kind = JsonValue::Kind::kArray;
    if (!Next()) return false;
    while (token_ != ']' || !array.items.empty()) {
      if (!Value(array.items.emplace_back(), depth)) return false;
      if (token_ == ']') break;
      if (token_ != ',') return Unexpected("',' or ']'");
      if (!Next()) return false;
    }
    array.span.end = span_.end;
    return Next();
  }

  bool Object(JsonValue& object, std::size_t depth) {
    object.kind = JsonValue::Kind::kObject;
    object.members.reserve(4);
    if (!Next(true)) return false;
    while (token_ != '}' || !object.members.empty()) {
      if (token_ != kString) return Unexpected("a field name in double quotes");
      JsonMember& member = object.members.emplace_back();
      member.key = string_;
      member.key_span = span_;
      if (!Next()) return false;
      if (token_ != ':') return Unexpected("':'");
      if (!Next() || !Value(member.value, depth)) return false;
      if (token_ == '}') break;
      if (token_ != ',') return Unexpected("',' or '}'");
      if (!Next(true)) return false;
    }
    object.span.end = span_.end;
    ReportDuplicates(object);
    return Next();
  }

  bool Number(JsonValue& value) {
    const char* const begin = text_.data() + span_.begin;
    const char* const end = text_.data() + span_.end;
    if (std::string_view(begin, span_.size()).find_first_of(".eE") == std::string_view::npos) {
      value.kind = JsonValue::Kind::kInteger;
      if (std::from_chars(begin, end, value.integer).ec != std::errc()) {
        return Fail(span_, "the integer does not fit into 64 bits",
                    "integers go from -9223372036854775808 to 9223372036854775807");
      }
      value.number = static_cast<double>(value.integer);
      return true;
    }
    value.kind = JsonValue::Kind::kFloat;
    if (std::from_chars(begin, end, value.number).ec == std::errc()) return true;
    // Too large, or so small that it is 0.
    value.number = std::strtod(std::string(begin, end).c_str(), nullptr);
    return std::isfinite(value.number) ||
           Fail(span_, "the number is too large", "the largest is about 1.8e308");
  }

  // Goes to the next token. `name`: the name of a field is due.
  bool Next(bool name = false) {
    span_.begin = std::min(text_.find_first_not_of(kSpace, span_.end), text_.size());
    span_.end = std::min(span_.begin + 1, text_.size());
    token_ = span_.begin < text_.size() ? text_[span_.begin] : kEnd;
    switch (token_) {
      case kEnd:
      case '{':
      case '}':
      case '[':
      case ']':
      case ',':
      case ':':
        return true;
      case kString:
        return LexString();
      default:
        return token_ == '-' || IsDigit(token_) ? LexNumber() : LexWord(name);
    }
  }

  bool LexNumber() {
    token_ = kNumber;
    std::size_t at = span_.begin;
    const auto digits = [&](const char* where) {
      const std::size_t first = at;
      while (at < text_.size() && IsDigit(text_[at])) ++at;
      return at > first || Fail(Word(), std::string("not a number: expected ") + where);
    };
    const auto skip = [&](std::string_view any) {
      const bool is = at < text_.size() && any.find(text_[at]) != std::string_view::npos;
      at += is ? 1 : 0;
      return is;
    };
    skip("-");
    if (!skip("0") && !digits("digit after '-'")) return false;
    if (skip(".") && !digits("digit after '.'")) return false;
    if (skip("eE")) {
      const bool sign = skip("+-");
      const char* const where =
          sign ? "digit after exponent sign" : "'+', '-', or digit after exponent";
      if (!digits(where)) return false;
    }
    span_.end = at;
    return true;
  }

  // true, false, null; or what is none of them.
  bool LexWord(bool name) {
    const Span span = Word();
    const std::string_view word = text_.substr(span.begin, span.size());
    if (word == "true" || word == "false" || word == "null") {
      span_ = span;
      return true;
    }
    if (word.starts_with("//") || word.starts_with("/*") || word.starts_with('#')) {
      return Fail(span, "JSON has no comments", "use a \"$comment\" field");
    }
    if (word.starts_with('\'')) {
      return Fail(span, "a string stands in double quotes, not in single ones");
    }
    if (name) return Fail(span, "expected a field name in double quotes");
    if (word.size() > 40) return Fail(span, "expected a value");
    return Fail(span, "'" + std::string(word) + "' is no JSON value",
                DidYouMean(word, {"true", "false", "null"}));
  }

  // The whole word at the token, however wrong, for the caret.
  Span Word() const {
    const std::size_t end = text_.find_first_of(" \t\r\n,:[]{}\"", span_.begin);
    return {span_.begin, std::max(std::min(end, text_.size()), span_.end)};
  }

  bool LexString() {
    string_.clear();
    std::size_t at = span_.begin + 1;
    while (true) {
      const std::size_t plain = at;
      while (at < text_.size() && IsPlain(text_[at])) ++at;
      string_.append(text_, plain, at - plain);
      const char c = at < text_.size() ? text_[at] : '\n';
      if (c == '"') {
        span_.end = at + 1;
        return true;
      }
      if (c == '\n' || c == '\r') {
        return Fail({span_.begin, at}, "the string is not closed", "put a '\"' at its end");
      }
      if (c == '\\') {
        if (!LexEscape(at)) return false;
        continue;
      }
      if (c >= '\0' && c < ' ') {
        return BadString(at, "bad string: a control character must be escaped",
                         "write it as \\t or \\u00XX");
      }
      const std::size_t length = DecodeUtf8(text_, at).length;
      if (length == 0) {
        return BadString(at, "the string is not valid UTF-8", "save the file as UTF-8");
      }
      string_.append(text_, at, length);
      at += length;
    }
  }

  // Goes behind the escape at `at`.
  bool LexEscape(std::size_t& at) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char letter = at + 1 < text_.size() ? text_[at + 1] : '\n';
    if (const std::size_t known = kLetters.find(letter); known != std::string_view::npos) {
      string_ += kMeanings[known];
      at += 2;
      return true;
    }
    if (letter != 'u') return BadString(at + 1, "bad string: no character can be escaped so");
    char32_t code = 0;
    if (!HexDigits(at, code)) return false;
    if (code >= 0xD800 && code <= 0xDBFF) {
      char32_t low = 0;
      if (text_.substr(at, 2) == "\\u" && !HexDigits(at, low)) return false;
      if (low < 0xDC00 || low > 0xDFFF) {
        return BadString(at, "bad string: the other half of the surrogate pair is missing");
      }
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
      return BadString(at, "bad string: the first half of the surrogate pair is missing");
    }
    AppendUtf8(code, string_);
    return true;
  }

  // Goes behind the \uXXXX at `at`.
  bool HexDigits(std::size_t& at, char32_t& code) {
    std::uint16_t value = 0;
    const char* const begin = text_.data() + at + 2;
    const char* const end = text_.data() + std::min(at + 6, text_.size());
    const std::from_chars_result read = std::from_chars(begin, end, value, 16);
    at += 6;
    code = value;
    if (read.ptr == text_.data() + at) return true;
    return BadString(read.ptr - text_.data(), "bad string: \\u needs four hexadecimal digits");
  }

  bool Unexpected(const std::string& wanted) {
    Span span = span_;
    std::string hint;
    const bool closes = token_ == ']' || token_ == '}';
    const bool after_item = wanted.starts_with("','");
    if (token_ == kEnd) {
      // Just after the last visible byte, not on an empty line below it.
      const std::size_t last = text_.find_last_not_of(kSpace);
      span.begin = span.end = last == std::string_view::npos ? 0 : last + 1;
    } else if (closes) {
      const std::size_t before = text_.substr(0, span.begin).find_last_not_of(kSpace);
      const bool comma = before != std::string_view::npos && text_[before] == ',';
      if (comma) hint = "remove the comma before it";
    } else if (after_item && token_ != ':') {
      const bool zero = token_ == kNumber && span.begin > 0 && text_[span.begin - 1] == '0';
      hint = zero ? "write numbers without leading zeros" : "put a comma before it";
    }
    return Fail(span, "expected " + wanted + ", not " + TokenName(token_), std::move(hint));
  }

  void ReportDuplicate(const JsonMember& first, const JsonMember& second) {
    const Location place = document_.At(first.key_span);
    Fail(second.key_span,
         "duplicate field '" + second.key + "', first at " + std::to_string(place.line) + ":" +
             std::to_string(place.column),
         "remove one of the two");
  }

  void ReportDuplicates(const JsonValue& object) {
    const std::vector<JsonMember>& members = object.members;
    if (members.size() <= kSmallObject) {
      for (std::size_t i = 1; i < members.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (members[i].key != members[j].key) continue;
          ReportDuplicate(members[j], members[i]);
          break;
        }
      }
      return;
    }
    std::vector<const JsonMember*> sorted;
    for (const JsonMember& member : members) sorted.push_back(&member);
    std::sort(sorted.begin(), sorted.end(), [](const JsonMember* a, const JsonMember* b) {
      return std::tie(a->key, a->key_span.begin) < std::tie(b->key, b->key_span.begin);
    });
    const JsonMember* first = sorted.front();
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (sorted[i]->key == first->key) {
        ReportDuplicate(*first, *sorted[i]);
      } else {
        first = sorted[i];
      }
    }
  }

  JsonDocument& document_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  char token_ = kEnd;
  Span span_;           // of the token
  std::string string_;  // what it says, if it is a string
  std::size_t values_ = 0;
  bool ok_ = true;
};

}  // namespace

const JsonValue* JsonValue::Find(std::string_view key) const {
  for (const JsonMember& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

Location JsonDocument::At(Span span) const {
  Location location{.path = path};
  std::tie(location.line, location.column) = lines.At(span.begin);
  std::tie(location.end_line, location.end_column) = lines.At(span.end);
  return location;
}

std::string JsonDocument::Line(int line) const { return std::string(lines.Line(text, line)); }

std::optional<JsonDocument> ParseJson(std::string path, std::string text,
                                      Diagnostics& diagnostics) {
  JsonDocument document;
  document.path = std::move(path);
  document.text = std::move(text);
  const std::string& bytes = document.text;
  document.lines = LineIndex(bytes);
  const std::size_t begin = bytes.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  if (bytes.find_first_not_of(kSpace, begin) == std::string::npos) {
    diagnostics.Error({.path = document.path}, "the file is empty");
    return std::nullopt;
  }
  const std::size_t nul = bytes.find('\0');
  if (nul != std::string::npos) {
    ErrorAt(document, {nul, nul + 1}, "NUL byte", "this is no text file", diagnostics);
    return std::nullopt;
  }
  if (!JsonParser(document, diagnostics).Parse()) return std::nullopt;
  return document;
}

std::optional<JsonDocument> ReadJson(const std::string& path, Diagnostics& diagnostics) {
  std::optional<std::string> text = ReadFile(path, kMaximumFileSize, diagnostics);
  if (!text) return std::nullopt;
  return ParseJson(path, std::move(*text), diagnostics);
}

void ErrorAt(const JsonDocument& document, Span span, std::string message, std::string hint,
             Diagnostics& diagnostics) {
  Diagnostic diagnostic;
  diagnostic.location = document.At(span);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  if (!diagnostics.full()) {
    const std::size_t start = document.lines.Start(diagnostic.location.line);
    if (document.text.find('\n', start) - start <= kMaximumSourceLine ||
        document.text.size() - start <= kMaximumSourceLine) {
      diagnostic.source_line = document.Line(diagnostic.location.line);
    }
  }
  diagnostics.Add(std::move(diagnostic));
}

const char* JsonKindName(JsonValue::Kind kind) {
  switch (kind) {
    case JsonValue::Kind::kNull:
      return "null";
    case JsonValue::Kind::kBoolean:
      return "a boolean";
    case JsonValue::Kind::kInteger:
      return "an integer";
    case JsonValue::Kind::kFloat:
      return "a number";
    case JsonValue::Kind::kString:
      return "a string";
    case JsonValue::Kind::kArray:
      return "an array";
    case JsonValue::Kind::kObject:
      return "an object";
  }
  return "a value";
}

}  // namespace opledger
