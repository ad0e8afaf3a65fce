// Parses JSON with positions: nlohmann's event parser reads from an iterator that counts bytes. At
// each event, the count is the end of the token (one byte more for a number); the token begins at
// the first byte after the previous token that is not a space, comma or colon.
// SPDX-License-Identifier: Apache-2.0
#include "registry/json/json.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <tuple>

#include "registry/files/files.h"
#include "registry/json/json_items.h"
#include "registry/json/json_syntax_error.h"

namespace opledger {
namespace {

constexpr std::size_t kMaximumDepth = 128;

// A value takes 128 bytes in memory and may take two in the file: this limits memory to about 1 GB.
constexpr std::size_t kMaximumValues = 8'000'000;

// Objects up to this size are checked for duplicate keys by comparing all pairs.
constexpr std::size_t kSmallObject = 12;

class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* position, const char** reached)
      : position_(position), reached_(reached) {}
  reference operator*() const { return *position_; }
  CountingIterator& operator++() {
    *reached_ = ++position_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return position_ == other.position_; }
  bool operator!=(const CountingIterator& other) const { return position_ != other.position_; }

 private:
  const char* position_;
  const char** reached_;
};

// Builds the tree from events. Containers on the stack do not move, because only the innermost
// grows.
class TreeBuilder {
 public:
  TreeBuilder(JsonDocument& document, const char** reached, const TakeItem& take,
              Diagnostics& diagnostics)
      : document_(document),
        text_(document.text),
        reached_(reached),
        take_(take),
        diagnostics_(diagnostics) {
    if (text_.starts_with("\xEF\xBB\xBF")) end_ = 3;
  }

  bool null() { return Done(NewValue(JsonValue::Kind::kNull)); }
  bool boolean(bool value) {
    JsonValue* node = NewValue(JsonValue::Kind::kBoolean);
    if (node != nullptr) node->boolean = value;
    return Done(node);
  }
  bool number_integer(std::int64_t value) {
    JsonValue* node = NewValue(JsonValue::Kind::kInteger);
    if (node == nullptr) return false;
    node->integer = value;
    node->number = static_cast<double>(value);
    return Done(node);
  }
  bool number_unsigned(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(INT64_MAX)) return IntegerOutOfRange();
    return number_integer(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string& spelling) {
    if (spelling.find_first_of(".eE") == std::string::npos) return IntegerOutOfRange();
    JsonValue* node = NewValue(JsonValue::Kind::kFloat);
    if (node != nullptr) node->number = value;
    return Done(node);
  }
  bool string(std::string& value) {
    JsonValue* node = NewValue(JsonValue::Kind::kString);
    if (node != nullptr) node->string = value;
    return Done(node);
  }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return Open(JsonValue::Kind::kObject); }
  bool start_array(std::size_t) { return Open(JsonValue::Kind::kArray); }
  bool key(std::string& name) {
    std::vector<JsonMember>& members = stack_.back()->members;
    if (members.empty()) members.reserve(4);
    JsonMember& member = members.emplace_back();
    member.key = name;
    member.key_span = TakeToken();
    return true;
  }
  bool end_object() {
    ReportDuplicates(*stack_.back());
    return Close();
  }
  bool end_array() { return Close(); }

  bool parse_error(std::size_t read, const std::string&, const nlohmann::json::exception& error) {
    std::string_view detail = error.what();
    const std::size_t dash = detail.find(" - ");
    if (dash != std::string_view::npos) {
      detail.remove_prefix(dash + 3);
    } else {
      detail.remove_prefix(std::min(detail.find("] ") + 2, detail.size()));
    }
    const bool wants_name = detail.ends_with("; expected string literal");
    detail = detail.substr(0, detail.find("; last read: "));
    if (wants_name && detail == "invalid literal") detail = "invalid name";
    JsonSyntaxError described = DescribeSyntaxError(text_, end_, read, detail);
    Error(described.span, std::move(described.message), std::move(described.hint));
    return false;
  }

  bool ok() const { return ok_; }

 private:
  void Error(Span span, std::string message, std::string hint = {}) {
    ErrorAt(document_, span, std::move(message), std::move(hint), diagnostics_);
    ok_ = false;
  }

  // Returns the span of the token that caused the current event.
  Span TakeToken() {
    const std::size_t begin = text_.find_first_not_of(" \t\r\n,:", end_);
    end_ = *reached_ - text_.data();
    return {begin, end_};
  }

  // The lexer reads one byte past a number, except at the end of the text.
  void TrimNumber(Span& span) {
    std::size_t end = span.begin;
    if (end < span.end && text_[end] == '-') ++end;
    if (end < span.end && text_[end] == '0' && end + 1 < span.end && text_[end + 1] <= '9' &&
        text_[end + 1] >= '0') {
      ++end;  // "01": the number is 0, and the rest is an error
    } else {
      while (end < span.end &&
             (std::string_view("0123456789+-.eE").find(text_[end]) != std::string_view::npos)) {
        ++end;
      }
    }
    end_ = span.end = end;
  }

  JsonValue* NewValue(JsonValue::Kind kind) {
    Span span = TakeToken();
    if (kind == JsonValue::Kind::kInteger || kind == JsonValue::Kind::kFloat) TrimNumber(span);
    if (++values_ > kMaximumValues) {
      Error(span, "more than " + std::to_string(kMaximumValues) + " values", "split the file");
      return nullptr;
    }
    JsonValue* node = &document_.root;
    if (!stack_.empty()) {
      JsonValue& parent = *stack_.back();
      node = parent.kind == JsonValue::Kind::kArray ? &parent.items.emplace_back()
                                                    : &parent.members.back().value;
    }
    node->kind = kind;
    node->span = span;
    return node;
  }

  bool Open(JsonValue::Kind kind) {
    JsonValue* node = NewValue(kind);
    if (node == nullptr) return false;
    if (stack_.size() == kMaximumDepth) {
      Error(node->span, "nested more than " + std::to_string(kMaximumDepth) + " deep");
      return false;
    }
    stack_.push_back(node);
    return true;
  }

  bool Close() {
    JsonValue* const closed = stack_.back();
    closed->span.end = TakeToken().end;
    stack_.pop_back();
    return Done(closed);
  }

  // Finishes a value; nullptr if it could not be read. Passes items of the root's arrays to
  // `take_`.
  bool Done(const JsonValue* value) {
    if (value == nullptr) return false;
    const bool is_item = take_ && stack_.size() == 2 &&
                         stack_[0]->kind == JsonValue::Kind::kObject &&
                         stack_[1]->kind == JsonValue::Kind::kArray;
    if (!is_item) return true;
    std::vector<JsonValue>& items = stack_[1]->items;
    if (take_(document_, stack_[0]->members.back().key, *value) && items.size() > 1) {
      items.pop_back();
    }
    return true;
  }

  bool IntegerOutOfRange() {
    Span span = TakeToken();
    TrimNumber(span);
    Error(span, "the integer does not fit into 64 bits",
          "integers go from -9223372036854775808 to 9223372036854775807");
    return false;
  }

  void ReportDuplicate(const JsonMember& first, const JsonMember& second) {
    const Location place = document_.At(first.key_span);
    Error(second.key_span,
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
  const char** reached_;
  const TakeItem& take_;
  Diagnostics& diagnostics_;
  std::vector<JsonValue*> stack_;
  std::size_t end_ = 0;  // of the last token
  std::size_t values_ = 0;
  bool ok_ = true;
};

std::optional<JsonDocument> ParseItems(const std::string& path, std::string text, bool quotable,
                                       const TakeItem& take, Diagnostics& diagnostics);

constexpr std::size_t kMaximumFileSize = std::size_t{256} << 20;

// Carets beyond this column are useless, and occur only in files without line breaks.
constexpr std::size_t kMaximumSourceLine = 65536;

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
  return ParseJsonItems(std::move(path), std::move(text), {}, diagnostics);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): declared like ParseJson
std::optional<JsonDocument> ParseJsonItems(std::string path, std::string text, const TakeItem& take,
                                           Diagnostics& diagnostics) {
  return ParseItems(path, std::move(text), true, take, diagnostics);
}

namespace {

std::optional<JsonDocument> ParseItems(const std::string& path, std::string text, bool quotable,
                                       const TakeItem& take, Diagnostics& diagnostics) {
  JsonDocument document;
  document.path = path;
  document.quotable = quotable;
  document.text = std::move(text);
  const std::string& bytes = document.text;
  document.lines = LineIndex(bytes);
  const std::size_t begin = bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  if (bytes.find_first_not_of(" \t\r\n", begin) == std::string::npos) {
    return diagnostics.Error({.path = document.path}, "the file is empty");
  }
  // The parser would treat a NUL byte as the end of its input and ignore the rest.
  const std::size_t nul = bytes.find('\0');
  if (nul != std::string::npos) {
    return ErrorAt(document, {nul, nul + 1}, "NUL byte", "this does not look like a text file",
                   diagnostics);
  }
  const char* reached = bytes.data();
  TreeBuilder builder(document, &reached, take, diagnostics);
  const CountingIterator first(bytes.data(), &reached);
  const CountingIterator last(bytes.data() + bytes.size(), &reached);
  if (!nlohmann::json::sax_parse(first, last, &builder) || !builder.ok()) return std::nullopt;
  return document;
}

}  // namespace

std::optional<JsonDocument> ReadJson(const Source& source, const std::string& path, Reach reach,
                                     Diagnostics& diagnostics) {
  return ReadJsonItems(source, path, reach, {}, diagnostics);
}

std::optional<JsonDocument> ReadJson(const std::string& path, Diagnostics& diagnostics) {
  const std::filesystem::path absolute = DiskSource().Absolute(path);
  const Source folder = DiskSource(absolute.parent_path().string());
  std::optional<std::string> text =
      DiskSource().Read(path, kMaximumFileSize, Reach::kAnywhere, diagnostics);
  if (!text) return std::nullopt;
  const bool quotable = IsQuotable(folder, absolute.filename().string());
  return ParseItems(path, std::move(*text), quotable, {}, diagnostics);
}

std::optional<JsonDocument> ReadJsonItems(const Source& source, const std::string& path,
                                          Reach reach, const TakeItem& take,
                                          Diagnostics& diagnostics) {
  std::optional<std::string> text = source.Read(path, kMaximumFileSize, reach, diagnostics);
  if (!text) return std::nullopt;
  return ParseItems(path, std::move(*text), IsQuotable(source, path), take, diagnostics);
}

bool IsQuotable(const Source& source, const std::string& path) {
  const std::string absolute =
      std::filesystem::path(source.Absolute(path)).lexically_normal().string();
  const std::string& root = source.root();
  return absolute.starts_with(root + '/') &&
         source.Canonical(absolute) == source.Canonical("") + absolute.substr(root.size());
}

namespace {

// Describes what is at a position, for readers who must not see it.
std::string KindAt(const std::string& text, std::size_t at) {
  if (at >= text.size()) return "end of the file";
  const auto c = static_cast<unsigned char>(text[at]);
  if (c == '"') return "string";
  if (c == '{') return "object";
  if (c == '[') return "array";
  if (c == '-' || std::isdigit(c) != 0) return "number";
  return std::isalpha(c) != 0 ? "word" : "character";
}

// Removes what the message may quote from the text at the span: everything from the first quotation
// mark to the last, unless it is the name of a field that is elsewhere.
std::string WithoutQuotes(const std::string& message, const std::string& text, Span span) {
  const std::size_t first = message.find('\'');
  const std::size_t last = message.rfind('\'');
  if (first == std::string::npos) return message;
  const std::string quoted = message.substr(first + 1, last - first - 1);
  const std::string there = text.substr(std::min(span.begin, text.size()), span.size());
  const bool is_name = quoted.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos;
  const bool elsewhere =
      there.find(quoted) == std::string::npos && there.find('\\') == std::string::npos;
  if (is_name && elsewhere) return message;
  const std::string kind = "this " + KindAt(text, span.begin);
  const std::string rest = message.substr(last + 1);
  if (first == 0) return kind + (rest.empty() ? " is not allowed here" : rest);
  return message.substr(0, first) + '(' + kind + ')' + rest;
}

}  // namespace

Failure ErrorAt(const JsonDocument& document, Span span, std::string message, std::string hint,
                Diagnostics& diagnostics) {
  Diagnostic diagnostic;
  diagnostic.location = document.At(span);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  if (!document.quotable) {
    diagnostic.message = WithoutQuotes(diagnostic.message, document.text, span);
    diagnostic.hint =
        "the text is not shown because the file is outside the project or is reached through a "
        "link";
  } else if (!diagnostics.full()) {
    const std::size_t start = document.lines.Start(diagnostic.location.line);
    if (document.text.find('\n', start) - start <= kMaximumSourceLine ||
        document.text.size() - start <= kMaximumSourceLine) {
      diagnostic.source_line = document.Line(diagnostic.location.line);
    }
  }
  diagnostics.Add(std::move(diagnostic));
  return {};
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
