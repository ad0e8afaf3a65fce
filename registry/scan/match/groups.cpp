// Collects the tokens between brackets, and the tokens of an expression.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/match/matcher.h"

namespace opledger::scan {

bool IsMade(TokenSpan argument) {
  return std::any_of(argument.begin(), argument.end(),
                     [](const TextToken& token) { return token.kind == kNested; });
}

TokenSpan Inside(TokenSpan tokens) {
  const bool whole = tokens.size() >= 2 && tokens.front().kind == tok::l_brace &&
                     ClosingBracket(tokens, 0) + 1 == tokens.size();
  return whole ? tokens.subspan(1, tokens.size() - 2) : TokenSpan();
}

bool HoldsString(TokenSpan tokens) {
  return std::any_of(tokens.begin(), tokens.end(), [](const TextToken& token) {
    return token.kind == tok::string_literal || token.kind == tok::utf8_string_literal;
  });
}
// Returns the tokens between the current bracket and its closing bracket, which becomes the current
// token.
std::vector<TextToken> Matcher::Group() {
  std::vector<TextToken> tokens;
  tokens.reserve(32);
  int depth = 1;
  Advance();
  while (!stream_.AtEnd()) {
    const Index begin = stream_.position();
    const clang::SourceLocation location = stream_.token().getLocation();
    if (Take()) {
      if (as_written_) {
        for (const TextToken& token : stream_.Tokens(begin, stream_.position())) {
          tokens.push_back(token);
        }
      } else {
        tokens.push_back({.kind = kNested, .location = location});  // a nested registration
      }
      continue;
    }
    const tok::TokenKind kind = stream_.token().getKind();
    depth += OpensBracket(kind);
    if (ClosesBracket(kind) && --depth == 0) break;
    tokens.push_back(stream_.Keep());
    Advance();
  }
  return tokens;
}

// Reads to a ',' or ';' outside brackets, or to the bracket that closes the enclosing pair.
std::vector<TextToken> Matcher::Expression() {
  std::vector<TextToken> tokens;
  while (!stream_.AtEnd() && !stream_.token().isOneOf(tok::comma, tok::semi)) {
    const tok::TokenKind kind = stream_.token().getKind();
    if (ClosesBracket(kind)) break;
    const clang::SourceLocation location = stream_.token().getLocation();
    if (Take()) {
      if (!as_written_) tokens.push_back({.kind = kNested, .location = location});
      continue;
    }
    tokens.push_back(stream_.Keep());
    if (OpensBracket(kind)) {
      for (const TextToken& token : Group()) tokens.push_back(token);
      if (!stream_.AtEnd()) tokens.push_back(stream_.Keep());
    }
    Advance();
  }
  return tokens;
}

// Reads the current '<' to its '>', and passes it. Returns the tokens only if `keep` is set.
std::vector<TextToken> Matcher::TemplateArguments(bool keep) {
  std::vector<TextToken> tokens;
  int angles = 0;
  int brackets = 0;
  while (!stream_.AtEnd()) {
    const tok::TokenKind kind = stream_.token().getKind();
    brackets += OpensBracket(kind);
    brackets -= ClosesBracket(kind);
    if (brackets < 0 || (brackets == 0 && kind == tok::semi)) break;
    if ((keep || kernel_ != nullptr) && angles > 0) tokens.push_back(stream_.Keep());
    if (brackets == 0) {
      angles += kind == tok::less;
      angles -= kind == tok::greater;
      angles -= kind == tok::greatergreater ? 2 : 0;
    }
    Advance();
    if (angles > 0 || brackets > 0) continue;
    if (!tokens.empty()) tokens.back().text.remove_suffix(1);
    break;
  }
  outer_angles_ = std::max(0, -angles);
  return tokens;
}

}  // namespace opledger::scan
