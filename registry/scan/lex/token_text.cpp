// Computes the canonical text that manifests show, which does not depend on the layout of the
// source.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/lex/token_text.h"

#include <algorithm>
#include <cctype>

#include "registry/scan/lex/raw_lexer.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

bool IsWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '"';
}

bool IsString(tok::TokenKind kind) {
  return kind == tok::string_literal || kind == tok::utf8_string_literal;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Returns the character of an escape sequence and moves `at` past it.
char Unescape(std::string_view text, std::size_t& at) {
  char c = text[at++];
  unsigned value = 0;  // only the last byte counts
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    case 'x':
      while (at < text.size() && HexDigit(text[at]) >= 0) {
        value = value * 16 + static_cast<unsigned>(HexDigit(text[at++]));
      }
      return static_cast<char>(value);
    default:
      break;
  }
  if (c < '0' || c > '7') return c;
  value = static_cast<unsigned>(c - '0');
  for (int i = 0; i < 2 && at < text.size() && text[at] >= '0' && text[at] <= '7'; ++i) {
    value = value * 8 + static_cast<unsigned>(text[at++] - '0');
  }
  return static_cast<char>(value);
}

// Appends the character of \u00e9, \u{e9} or \U000000e9 in UTF-8. `at` is at the 'u'.
void AddCharacter(std::string_view text, std::size_t& at, std::string& value) {
  const bool delimited = at + 1 < text.size() && text[at + 1] == '{';
  const std::size_t digits = delimited ? text.size() : text[at] == 'u' ? 4 : 8;
  at += delimited ? 2 : 1;
  unsigned long code = 0;
  for (std::size_t i = 0; i < digits && at < text.size() && HexDigit(text[at]) >= 0; ++i) {
    code = code * 16 + static_cast<unsigned long>(HexDigit(text[at++]));
  }
  if (delimited && at < text.size() && text[at] == '}') ++at;
  auto add = [&](unsigned long byte) { value.push_back(static_cast<char>(byte)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
  } else {
    add(0xF0 | (code >> 18 & 0x07));
    add(0x80 | (code >> 12 & 0x3F));
    add(0x80 | (code >> 6 & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

// Returns the value of one literal token: "a\tb", u8"x", R"(raw)".
std::string LiteralValue(std::string_view text) {
  std::size_t quote = text.find('"');
  if (quote == std::string_view::npos || text.size() < quote + 2) return {};
  bool raw = quote > 0 && text[quote - 1] == 'R';
  std::string_view inner = text.substr(quote + 1, text.size() - quote - 2);
  if (raw) {
    std::size_t open = inner.find('(');
    std::size_t close = inner.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close <= open) {
      return {};
    }
    return std::string(inner.substr(open + 1, close - open - 1));
  }
  std::string value;
  for (std::size_t at = 0; at < inner.size();) {
    char c = inner[at++];
    if (c == '\\' && at < inner.size() && (inner[at] == 'u' || inner[at] == 'U')) {
      AddCharacter(inner, at, value);
      continue;
    }
    value.push_back(c == '\\' && at < inner.size() ? Unescape(inner, at) : c);
  }
  return value;
}

// Returns the index of the matching '>' if tokens[at] is a '<' that opens template arguments,
// otherwise 0.
std::size_t TemplateEnd(TokenSpan tokens, std::size_t at) {
  if (at == 0 || tokens[at - 1].text.empty() || !IsWord(tokens[at - 1].text.back())) return 0;
  int angles = 0;
  int brackets = 0;
  for (std::size_t i = at; i < tokens.size(); ++i) {
    tok::TokenKind kind = tokens[i].kind;
    if (OpensBracket(kind)) ++brackets;
    if (ClosesBracket(kind) && --brackets < 0) return 0;
    if (brackets > 0) continue;
    if (kind == tok::semi || kind == tok::ampamp || kind == tok::pipepipe) return 0;
    if (kind == tok::less) ++angles;
    if (kind == tok::greater) angles -= 1;
    if (kind == tok::greatergreater) angles -= 2;
    if (angles <= 0) return i;
  }
  return 0;
}

}  // namespace

std::string CanonicalText(TokenSpan tokens) {
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == tok::l_brace) {
      int depth = 1;
      bool empty = i + 1 < tokens.size() && tokens[i + 1].kind == tok::r_brace;
      while (depth > 0 && ++i < tokens.size()) {
        depth += (tokens[i].kind == tok::l_brace) - (tokens[i].kind == tok::r_brace);
      }
      text += empty ? "{}" : "{...}";
      continue;
    }
    const std::string_view piece = tokens[i].text;
    if (piece.empty()) continue;
    bool space = !text.empty() && (text.back() == ',' || (IsWord(text.back()) && IsWord(piece[0])));
    if (space) text.push_back(' ');
    text += piece;
  }
  return text;
}

std::optional<std::string> StringValue(TokenSpan tokens) {
  while (tokens.size() >= 2 && tokens.front().kind == tok::l_paren &&
         tokens.back().kind == tok::r_paren) {
    tokens = tokens.subspan(1, tokens.size() - 2);
  }
  if (tokens.empty()) return std::nullopt;
  std::string value;
  for (const TextToken& token : tokens) {
    if (!IsString(token.kind)) return std::nullopt;
    // A user-defined suffix may change the value. The suffixes of the library keep it.
    const std::size_t end = token.text.rfind('"') + 1;
    const std::string_view suffix = token.text.substr(end);
    if (!suffix.empty() && suffix != "s" && suffix != "sv") return std::nullopt;
    value += LiteralValue(token.text.substr(0, end));
  }
  return value;
}

std::string ReturnedStrings(TokenSpan tokens) {
  std::vector<std::string> best;
  std::vector<std::string> current;
  bool returns = std::any_of(tokens.begin(), tokens.end(),
                             [](const TextToken& t) { return t.kind == tok::kw_return; });
  bool inside = !returns;
  for (const TextToken& token : tokens) {
    if (token.kind == tok::kw_return) {
      inside = true;
      current.clear();
    } else if (token.kind == tok::semi && returns) {
      inside = false;
    } else if (inside && IsString(token.kind)) {
      current.push_back(LiteralValue(token.text));
    }
    if (current.size() > best.size()) best = current;
  }
  std::string text;
  for (const std::string& name : best) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string DenseText(TokenSpan tokens) {
  std::string text;
  for (const TextToken& token : tokens) {
    if (token.text.empty()) continue;
    if (!text.empty() && IsWord(text.back()) && IsWord(token.text[0])) text += ' ';
    text += token.text;
  }
  return text;
}

std::vector<TokenSpan> SplitArguments(TokenSpan tokens) {
  std::vector<TokenSpan> arguments;
  if (tokens.empty()) return arguments;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    tok::TokenKind kind = tokens[i].kind;
    depth += OpensBracket(kind);
    depth -= ClosesBracket(kind);
    if (kind == tok::less && depth == 0) {
      if (std::size_t end = TemplateEnd(tokens, i); end > i) i = end;
    } else if (kind == tok::comma && depth == 0) {
      arguments.push_back(tokens.subspan(begin, i - begin));
      begin = i + 1;
    }
  }
  arguments.push_back(tokens.subspan(begin));
  return arguments;
}

TokenSpan ArgumentAt(std::span<const TokenSpan> arguments, int index) {
  const bool there = index >= 0 && static_cast<std::size_t>(index) < arguments.size();
  return there ? arguments[static_cast<std::size_t>(index)] : TokenSpan();
}

LexedText::LexedText(std::string_view text, Directives kept) : text_(text) {
  constexpr std::size_t kBytesPerToken = 8;  // in most files, including comments
  tokens.reserve(text.size() / kBytesPerToken);
  RawLexer lexer(text);
  RawToken raw = lexer.Next();
  while (!raw.Is(tok::eof)) {
    if (raw.Is(tok::hash) && raw.starts_line) {
      AddDirective(lexer, raw, kept);
      continue;
    }
    Add(lexer, raw, false);
    lexer.Next(raw);
  }
}

void LexedText::Add(RawLexer& lexer, const RawToken& raw, bool directive) {
  std::string_view spelling = text_.substr(raw.begin, raw.end - raw.begin);
  if (raw.dirty) spelling = cleaned_.emplace_front(lexer.Text(raw));
  tokens.push_back({raw.kind, raw.starts_line, directive, {}, spelling, raw.begin, raw.end});
}

// `raw` is at the '#' and becomes the first token after the directive.
void LexedText::AddDirective(RawLexer& lexer, RawToken& raw, Directives kept) {
  const std::size_t hash = tokens.size();
  do {
    Add(lexer, raw, true);
    lexer.Next(raw);
  } while (!raw.starts_line && !raw.Is(tok::eof));
  if (kept == Directives::kAll) return;
  const std::string_view keyword = DirectiveAt(tokens, hash);
  const bool conditional =
      keyword.starts_with("if") || keyword.starts_with("el") || keyword == "endif";
  if (conditional) tokens[hash].text = keyword;
  tokens.resize(hash + (conditional && kept == Directives::kConditionals ? 1 : 0));
}

std::string_view DirectiveAt(TokenSpan tokens, std::size_t hash) {
  const bool has = hash + 1 < tokens.size() && !tokens[hash + 1].starts_line;
  return has ? tokens[hash + 1].text : std::string_view();
}

std::size_t BehindDirective(TokenSpan tokens, std::size_t hash) {
  std::size_t at = hash + 1;
  while (at < tokens.size() && !tokens[at].starts_line) ++at;
  return at;
}

std::size_t BehindBracket(TokenSpan tokens, std::size_t open) {
  return std::min(ClosingBracket(tokens, open) + 1, tokens.size());
}

TokenSpan InsideBracket(TokenSpan tokens, std::size_t open) {
  return tokens.subspan(open + 1, std::max(ClosingBracket(tokens, open), open + 1) - open - 1);
}

MacroParts PartsOfMacro(TokenSpan definition) {
  MacroParts parts;
  parts.function_like = definition.size() > 1 && definition[1].Is(tok::l_paren) &&
                        definition[1].begin == definition[0].end;
  if (!parts.function_like) {
    parts.body = definition.subspan(std::min<std::size_t>(definition.size(), 1));
    return parts;
  }
  for (const TextToken& token : InsideBracket(definition, 1)) {
    if (token.Is(tok::raw_identifier)) parts.parameters.push_back(token.text);
    if (!token.Is(tok::ellipsis)) continue;
    parts.variadic = true;
    const bool named = (&token - 1)->Is(tok::raw_identifier);
    if (!named) parts.parameters.emplace_back("__VA_ARGS__");
  }
  parts.body = definition.subspan(BehindBracket(definition, 1));
  return parts;
}

std::string CallsOf(TokenSpan tokens, const std::vector<std::string>& wanted) {
  std::string calls;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (tokens[at + 1].kind != tok::l_paren) continue;
    if (std::find(wanted.begin(), wanted.end(), tokens[at].text) == wanted.end()) continue;
    std::size_t close = ClosingBracket(tokens, at + 1);
    if (close >= tokens.size()) break;
    for (; at <= close; ++at) calls.append(tokens[at].text).append(" ");
    calls += "; ";
    --at;
  }
  return calls;
}

}  // namespace opledger::scan
