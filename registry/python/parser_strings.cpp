// Parses string literals, joining adjacent ones, and format strings; see parser.h.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "registry/python/parser_state.h"
#include "registry/python/string_value.h"

namespace opledger {
namespace {

// Removes white space and comments.
std::string WithoutComments(std::string text) {
  for (std::size_t begin = text.find('#'); begin != std::string::npos; begin = text.find('#')) {
    const std::size_t end = text.find('\n', begin);
    text.erase(begin, end == std::string::npos ? end : end - begin);
  }
  return text;
}

}  // namespace

// The adjacent literals read so far.
struct PythonParser::StringParts {
  std::string text;  // since the last replacement
  std::uint32_t text_begin = 0;
  bool unknown = false;
  bool bytes = false;
  bool format = false;
  Ids pieces;  // for a format string
};

PythonId PythonParser::Strings() {
  const std::uint32_t begin = Begin();
  StringParts parts;
  parts.text_begin = begin;
  int count = 0;
  bool text = false;
  for (; Is(TokenKind::kString) || Is(TokenKind::kFormatStart); ++count) {
    const std::string_view spelling = Current().text;
    const std::string_view prefix = spelling.substr(0, spelling.find_first_of("'\""));
    const bool bytes = prefix.find_first_of("bB") != std::string_view::npos;
    parts.bytes = parts.bytes || bytes;
    text = text || !bytes;
    Is(TokenKind::kString) ? PlainString(parts) : FormatString(parts);
  }
  if (parts.bytes && text) {
    return FailAt(begin, last_end_, "bytes and text cannot be joined");
  }
  if (parts.format) Flush(parts);
  PythonId id = 0;
  if (parts.format) {
    id = Add(PythonKind::kFormat, begin, {}, parts.pieces);
  } else {
    const PythonKind kind = parts.bytes ? PythonKind::kBytes : PythonKind::kString;
    id = Add(kind, begin, Keep(std::move(parts.text)));
  }
  if (failed_) return 0;
  Node(id).joined = count > 1;
  Node(id).unknown = parts.unknown && !parts.format;
  return id;
}

void PythonParser::PlainString(StringParts& parts) {
  const std::string_view spelling = Current().text;
  const std::size_t quote = spelling.find_first_of("'\"");
  const std::string_view prefix = spelling.substr(0, quote);
  const bool triple = spelling.size() >= quote + 6 && spelling[quote + 1] == spelling[quote] &&
                      spelling[quote + 2] == spelling[quote];
  const std::size_t width = triple ? 3 : 1;
  AddText(parts, spelling.substr(quote + width, spelling.size() - quote - 2 * width),
          prefix.find_first_of("rR") != std::string_view::npos);
}

// Adds `body`, a part of the current token, and consumes the token.
void PythonParser::AddText(StringParts& parts, std::string_view body, bool raw) {
  std::string text = WithPythonLineEnds(body);
  if (parts.bytes) {
    for (const char c : text) {
      if (static_cast<unsigned char>(c) >= 0x80) {
        Fail("bytes can only contain ASCII characters");
        return;
      }
    }
  }
  if (!raw) {
    PythonStringValue value = DecodePythonString(text, parts.bytes);
    if (value.state == PythonStringValue::State::kMalformed) {
      Fail("malformed escape sequence in a string");
      return;
    }
    parts.unknown = parts.unknown || value.state == PythonStringValue::State::kUnknown;
    text = std::move(value.text);
  }
  if (parts.text.empty()) parts.text_begin = Begin();
  parts.text += text;
  Advance();
}

// Turns the text so far into a piece of a format string.
void PythonParser::Flush(StringParts& parts) {
  const bool unknown = std::exchange(parts.unknown, false);
  std::string text = std::exchange(parts.text, {});
  if (text.empty() && !unknown) return;
  const PythonId piece = Add(PythonKind::kString, parts.text_begin, Keep(std::move(text)));
  if (failed_) return;
  Node(piece).unknown = unknown;
  parts.pieces.push_back(piece);
}

void PythonParser::FormatString(StringParts& parts) {
  const bool raw = Current().text.find_first_of("rR") != std::string_view::npos;
  parts.format = true;
  Advance();
  while (!failed_ && !Is(TokenKind::kFormatEnd)) {
    Is(TokenKind::kFormatText) ? AddText(parts, Current().text, raw) : Replacement(parts, raw);
  }
  if (!failed_) Advance();
}

// Parses {value=!r:specification}.
void PythonParser::Replacement(StringParts& parts, bool raw) {
  const Nesting nesting(*this);
  const std::uint32_t begin = Begin();
  ExpectOperator("{");
  const std::uint32_t value_begin = last_end_;
  const PythonId value = StarExpressionsOrYield();
  const bool debug = AcceptOperator("=");
  if (debug && !failed_) {
    const std::string_view text = source_->text();
    if (parts.text.empty()) parts.text_begin = value_begin;
    parts.text += WithPythonLineEnds(text.substr(value_begin, last_end_ - value_begin));
    parts.text += WithoutComments(WithPythonLineEnds(text.substr(last_end_, Begin() - last_end_)));
  }
  std::string_view conversion;
  if (AcceptOperator("!")) {
    conversion = Current().text;
    const bool known = IsWord("r") || IsWord("s") || IsWord("a");
    known&& Begin() == last_end_ ? Advance() : void(Fail("a conversion must be r, s or a"));
  }
  PythonId specification = 0;
  if (AcceptOperator(":")) {
    specification = Specification(raw);
  } else if (debug && conversion.empty()) {
    conversion = "r";
  }
  ExpectOperator("}");
  // The node of the preceding text must also precede in the table.
  const std::uint32_t end = last_end_;
  Flush(parts);
  const PythonId id = Add(PythonKind::kReplacement, begin, conversion, {value, specification});
  if (failed_) return;
  Node(id).end = end;
  parts.pieces.push_back(id);
}

PythonId PythonParser::Specification(bool raw) {
  StringParts parts;
  parts.text_begin = last_end_;
  const std::uint32_t begin = last_end_;
  while (!failed_ && !IsOperator("}")) {
    Is(TokenKind::kFormatText) ? AddText(parts, Current().text, raw) : Replacement(parts, raw);
  }
  Flush(parts);
  return Add(PythonKind::kFormat, begin, {}, parts.pieces);
}

}  // namespace opledger
