// Rejects every token that could continue in a way that is not handled here (a backslash, a byte
// beyond ASCII, a literal prefix, a digraph), including the white space before it.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/lex/plain_lexer.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <array>
#include <bit>
#include <cstring>

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

enum : unsigned char {
  kHorizontal = 1,
  kVertical = 2,
  kName = 4,     // continues an identifier
  kDigit = 8,    // starts a number
  kStrange = 16  // after a token: it may continue, or be another kind of token
};

constexpr std::array<unsigned char, 256> MakeClasses() {
  std::array<unsigned char, 256> classes{};
  for (unsigned char c : {' ', '\t', '\f', '\v'}) classes[c] = kHorizontal;
  for (unsigned char c : {'\n', '\r'}) classes[c] = kVertical;
  for (unsigned char c = 'a'; c <= 'z'; ++c) classes[c] = kName;
  for (unsigned char c = 'A'; c <= 'Z'; ++c) classes[c] = kName;
  for (unsigned char c = '0'; c <= '9'; ++c) classes[c] = kName | kDigit;
  for (unsigned char c : {'_', '$'}) classes[c] = kName;
  classes['\\'] = kStrange;
  for (int c = 0x80; c <= 0xff; ++c) classes[static_cast<std::size_t>(c)] = kStrange;
  return classes;
}

constexpr std::array<unsigned char, 256> kClasses = MakeClasses();

bool Has(char c, int classes) { return (kClasses[static_cast<unsigned char>(c)] & classes) != 0; }

// Returns the end of the line comment at `at`, or null if it has a line continuation.
const char* SkipLineComment(const char* at, const char* end) {
  const auto size = static_cast<std::size_t>(end - at);
  const auto* newline = static_cast<const char*>(std::memchr(at, '\n', size));
  if (newline == nullptr) return nullptr;
  const char* last = newline;  // end of the comment
  const auto length = static_cast<std::size_t>(newline - at);
  if (const auto* back = static_cast<const char*>(std::memchr(at, '\r', length))) {
    if (back + 1 != newline) return nullptr;
    last = back;
  }
  while (Has(last[-1], kHorizontal)) --last;
  return last[-1] == '\\' ? nullptr : newline + 1;
}

// Returns the end of the block comment at `at`, or null.
const char* SkipBlockComment(const char* at, const char* end) {
  for (const char* slash = at + 3; slash < end; ++slash) {
    const auto size = static_cast<std::size_t>(end - slash);
    slash = static_cast<const char*>(std::memchr(slash, '/', size));
    if (slash == nullptr) return nullptr;
    if (slash[-1] == '*') return slash + 1;
    const char* before = slash - 1;  // '*', line continuation, '/' also ends it
    if (!Has(*before, kVertical)) continue;
    while (Has(*before, kVertical | kHorizontal) || *before == '\0') --before;
    if (*before == '\\') return nullptr;
  }
  return nullptr;
}

// Returns the end of the white space at `at`, which must not be empty.
const char* SkipBlanks(const char* at, RawToken& token) {
  for (;;) {
    while (*at == ' ') ++at;
    if (!Has(*at, kHorizontal | kVertical)) break;
    token.starts_line = token.starts_line || Has(*at, kVertical);
    ++at;
  }
  token.spaced = !Has(at[-1], kVertical);
  return at;
}

// Returns the first character after white space and comments, or null.
const char* SkipSpace(const char* at, const char* end, RawToken& token) {
  for (;;) {
    if (Has(*at, kHorizontal | kVertical)) at = SkipBlanks(at, token);
    if (*at != '/') return at;
    if (at[1] == '/') {
      at = SkipLineComment(at, end);
      token.starts_line = true;
      token.spaced = false;
    } else if (at[1] == '*') {
      at = SkipBlockComment(at, end);
      token.spaced = true;
    } else {
      return at;
    }
    if (at == nullptr) return nullptr;
  }
}

#if defined(__SSE2__)
// Returns how many of the 16 bytes at `at` continue an identifier, up to the first that does not.
int CountName(const char* at) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  auto among = [](__m128i value, char first, char count) {
    const __m128i from_first = _mm_sub_epi8(value, _mm_set1_epi8(first));
    return _mm_cmpeq_epi8(_mm_min_epu8(from_first, _mm_set1_epi8(count)), from_first);
  };
  const __m128i letters = among(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z' - 'a');
  const __m128i digits = among(bytes, '0', 9);
  const __m128i others = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')),
                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('$')));
  const __m128i all = _mm_or_si128(_mm_or_si128(letters, digits), others);
  return std::countr_one(static_cast<unsigned>(_mm_movemask_epi8(all)));
}
#endif

// Returns the end of the identifier around `at`.
const char* SkipName(const char* at, const char* end) {
#if defined(__SSE2__)
  while (end - at >= 16) {
    const int count = CountName(at);
    at += count;
    if (count < 16) return at;
  }
#endif
  while (at < end && Has(*at, kName)) ++at;
  return at;
}

const char* Name(const char* begin, const char* end, RawToken& token) {
  token.kind = tok::raw_identifier;
  const char* at = SkipName(begin + 1, end);
  if (Has(*at, kStrange)) return nullptr;
  const bool literal = (*at == '"' || *at == '\'') && at - begin <= 3;  // may be u8R"(x)"
  return literal ? nullptr : at;
}

const char* Number(const char* at, RawToken& token) {
  token.kind = tok::numeric_constant;
  do {
    if (*at == '$') return nullptr;
    ++at;
  } while (Has(*at, kName) || *at == '.');
  if (Has(*at, kStrange) || *at == '\'') return nullptr;
  const bool exponent = (at[-1] | 0x20) == 'e' || (at[-1] | 0x20) == 'p';
  return exponent && (*at == '+' || *at == '-') ? nullptr : at;
}

// Reads a string or character literal without prefix or suffix. Returns its end, or null.
const char* Literal(const char* at, const char* end, RawToken& token) {
  const char quote = *at++;
  token.kind = quote == '"' ? tok::string_literal : tok::char_constant;
  if (quote == '\'' && *at == '\'') return nullptr;
  while (*at != quote) {
    if (Has(*at, kVertical) || at >= end) return nullptr;
    if (*at++ != '\\') continue;
    const bool backslash = *at == '\\';  // the second may be a line continuation
    if (*at == '\0' || Has(*at, kHorizontal | kVertical)) return nullptr;
    ++at;
    if (backslash && Has(*at, kHorizontal | kVertical)) return nullptr;
  }
  ++at;
  return Has(*at, kStrange | kName) ? nullptr : at;
}

// A character that makes an operator longer, and the operator that it then is.
struct Longer {
  char next;
  tok::TokenKind kind;
};

const char* Operator(const char* at, RawToken& token, tok::TokenKind alone, Longer one,
                     Longer other = {'\0', tok::unknown}) {
  token.kind = alone;
  if (*at == '\\') return nullptr;
  if (*at == one.next) {
    token.kind = one.kind;
    return at + 1;
  }
  if (other.next != '\0' && *at == other.next) {
    token.kind = other.kind;
    return at + 1;
  }
  return at;
}

// <, <=, <<, <<=, <=>, but not <: and <%.
const char* Less(const char* at, RawToken& token) {
  if (*at == ':' || *at == '%') return nullptr;
  at = Operator(at, token, tok::less, {'=', tok::lessequal}, {'<', tok::lessless});
  if (at == nullptr || token.kind == tok::less) return at;
  if (token.kind == tok::lessequal) return Operator(at, token, token.kind, {'>', tok::spaceship});
  return Operator(at, token, token.kind, {'=', tok::lesslessequal});
}

const char* Greater(const char* at, RawToken& token) {
  at = Operator(at, token, tok::greater, {'=', tok::greaterequal}, {'>', tok::greatergreater});
  if (at == nullptr || token.kind != tok::greatergreater) return at;
  return Operator(at, token, token.kind, {'=', tok::greatergreaterequal});
}

const char* Minus(const char* at, RawToken& token) {
  if (*at == '-') {
    token.kind = tok::minusminus;
    return at + 1;
  }
  at = Operator(at, token, tok::minus, {'=', tok::minusequal}, {'>', tok::arrow});
  if (at == nullptr || token.kind != tok::arrow) return at;
  return Operator(at, token, token.kind, {'*', tok::arrowstar});
}

const char* Single(const char* at, RawToken& token, tok::TokenKind kind) {
  token.kind = kind;
  return at;
}

const char* Punctuation(const char* begin, RawToken& token) {
  const char* at = begin + 1;
  switch (*begin) {
    case '(':
      return Single(at, token, tok::l_paren);
    case ')':
      return Single(at, token, tok::r_paren);
    case '{':
      return Single(at, token, tok::l_brace);
    case '}':
      return Single(at, token, tok::r_brace);
    case '[':
      return Single(at, token, tok::l_square);
    case ']':
      return Single(at, token, tok::r_square);
    case ';':
      return Single(at, token, tok::semi);
    case ',':
      return Single(at, token, tok::comma);
    case '~':
      return Single(at, token, tok::tilde);
    case '?':
      return Single(at, token, tok::question);
    case '.':
      if (*at == '.' || *at == '*') return nullptr;
      return *at == '\\' ? nullptr : Single(at, token, tok::period);
    case ':':
      return *at == '>' ? nullptr : Operator(at, token, tok::colon, {':', tok::coloncolon});
    case '<':
      return Less(at, token);
    case '>':
      return Greater(at, token);
    case '-':
      return Minus(at, token);
    case '+':
      return Operator(at, token, tok::plus, {'+', tok::plusplus}, {'=', tok::plusequal});
    case '*':
      return Operator(at, token, tok::star, {'=', tok::starequal});
    case '/':
      return Operator(at, token, tok::slash, {'=', tok::slashequal});
    case '%':
      if (*at == '>' || *at == ':') return nullptr;
      return Operator(at, token, tok::percent, {'=', tok::percentequal});
    case '&':
      return Operator(at, token, tok::amp, {'&', tok::ampamp}, {'=', tok::ampequal});
    case '|':
      return Operator(at, token, tok::pipe, {'|', tok::pipepipe}, {'=', tok::pipeequal});
    case '^':
      return *at == '^' ? nullptr : Operator(at, token, tok::caret, {'=', tok::caretequal});
    case '=':
      return Operator(at, token, tok::equal, {'=', tok::equalequal});
    case '!':
      return Operator(at, token, tok::exclaim, {'=', tok::exclaimequal});
    case '#':
      return *at == '@' ? nullptr : Operator(at, token, tok::hash, {'#', tok::hashhash});
    default:
      return nullptr;
  }
}

}  // namespace

bool PlainLexer::Next(RawToken& token) {
  token.starts_line = starts_line_;
  token.spaced = false;
  token.dirty = false;
  const char* begin = SkipSpace(at_, end_, token);
  if (begin == nullptr) return false;
  const char* end = nullptr;
  if (Has(*begin, kDigit) || (*begin == '.' && Has(begin[1], kDigit))) {
    end = Number(begin, token);
  } else if (Has(*begin, kName)) {
    end = Name(begin, end_, token);
  } else if (*begin == '"' || *begin == '\'') {
    end = Literal(begin, end_, token);
  } else {
    end = Punctuation(begin, token);
  }
  if (end == nullptr) return false;
  token.begin = static_cast<Offset>(begin - text_);
  token.end = static_cast<Offset>(end - text_);
  at_ = end;
  starts_line_ = false;
  return true;
}

}  // namespace opledger::scan
