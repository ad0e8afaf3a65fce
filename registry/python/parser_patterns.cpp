// Parses the match statement and its patterns; see parser.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/python/parser_state.h"

namespace opledger {

// `match` can also be a name. It starts a statement if it is followed by ':', a new line and an
// indented `case`.
bool PythonParser::AtMatch() const {
  if (!IsWord("match")) return false;
  std::size_t i = position_ + 1;
  while (i + 2 < tokens_.size() && tokens_[i].kind != TokenKind::kNewline) ++i;
  return i + 2 < tokens_.size() && tokens_[i - 1].text == ":" && i - 1 > position_ + 1 &&
         tokens_[i + 1].kind == TokenKind::kIndent && tokens_[i + 2].text == "case";
}

PythonId PythonParser::Match() {
  const Nesting nesting(*this);
  const std::uint32_t begin = Begin();
  ExpectWord("match");
  const std::uint32_t place = Begin();
  PythonId subject = StarExpression(true);
  if (IsOperator(",")) {
    Ids elements = {subject};
    while (AcceptOperator(",") && !IsOperator(":")) elements.push_back(StarExpression(true));
    subject = Add(PythonKind::kTuple, place, {}, elements);
  } else if (!failed_ && Node(subject).kind == PythonKind::kStarred) {
    return Fail("a starred expression must be followed by ','");
  }
  ExpectOperator(":");
  if (failed_) return 0;
  Advance();
  Advance();
  Ids parts = {subject};
  while (IsWord("case")) parts.push_back(Case());
  if (!Is(TokenKind::kDedent)) return Fail("expected 'case'");
  Advance();
  return Add(PythonKind::kMatch, begin, {}, parts);
}

PythonId PythonParser::Case() {
  const std::uint32_t begin = Begin();
  ExpectWord("case");
  const PythonId pattern = Patterns();
  const PythonId guard = AcceptWord("if") ? NamedExpression() : 0;
  const PythonId body = Block();
  return Add(PythonKind::kCase, begin, {}, {pattern, guard, body});
}

// Parses a, *b.
PythonId PythonParser::Patterns() {
  const std::uint32_t begin = Begin();
  const bool star = IsOperator("*");
  const PythonId first = star ? StarPattern() : Pattern();
  if (!IsOperator(",")) return star ? Fail("a starred pattern must be followed by ','") : first;
  Ids patterns = {first};
  while (AcceptOperator(",") && !IsOperator(":") && !IsWord("if")) {
    patterns.push_back(IsOperator("*") ? StarPattern() : Pattern());
  }
  return Add(PythonKind::kSequencePattern, begin, {}, patterns);
}

PythonId PythonParser::StarPattern() {
  const std::uint32_t begin = Begin();
  Advance();
  const std::string_view name = Identifier();
  return Add(PythonKind::kStarPattern, begin, name == "_" ? "" : name);
}

PythonId PythonParser::Pattern() {
  const Nesting nesting(*this);
  const std::uint32_t begin = Begin();
  const PythonId pattern = OrPattern();
  if (!AcceptWord("as")) return pattern;
  if (IsWord("_")) return Fail("'_' cannot be bound");
  const std::string_view name = Identifier();
  return Add(PythonKind::kCapturePattern, begin, name, {pattern});
}

PythonId PythonParser::OrPattern() {
  const std::uint32_t begin = Begin();
  const PythonId first = ClosedPattern();
  if (!IsOperator("|")) return first;
  Ids patterns = {first};
  while (AcceptOperator("|")) patterns.push_back(ClosedPattern());
  return Add(PythonKind::kOrPattern, begin, {}, patterns);
}

PythonId PythonParser::ClosedPattern() {
  const std::uint32_t begin = Begin();
  if (IsOperator("(") || IsOperator("[")) return BracketPattern();
  if (IsOperator("{")) return MappingPattern();
  if (IsIdentifier()) return NamePattern();
  const PythonId literal = LiteralPattern();
  if (failed_ || Node(literal).kind == PythonKind::kConstant) return literal;
  return Add(PythonKind::kValuePattern, begin, {}, {literal});
}

// Parses a number, string or constant as an expression.
PythonId PythonParser::LiteralPattern() {
  const std::uint32_t begin = Begin();
  if (Is(TokenKind::kString) || Is(TokenKind::kFormatStart)) {
    const PythonId text = Strings();
    if (failed_ || Node(text).kind != PythonKind::kFormat) return text;
    return FailAt(Node(text).begin, Node(text).end, "a format string cannot be a pattern");
  }
  if (IsWord("None") || IsWord("True") || IsWord("False")) return Atom();
  const PythonId number = PatternNumber();
  if (!IsOperator("+") && !IsOperator("-")) return number;
  const std::string_view op = Current().text;
  Advance();
  if (!Is(TokenKind::kNumber) || (Current().text.back() | 0x20) != 'j') {
    return Fail("expected an imaginary number");
  }
  const PythonId imaginary = Atom();
  return Add(PythonKind::kBinary, begin, op, {number, imaginary});
}

PythonId PythonParser::PatternNumber() {
  const std::uint32_t begin = Begin();
  const bool minus = AcceptOperator("-");
  if (!Is(TokenKind::kNumber)) return Fail("expected a pattern");
  const PythonId number = Atom();
  return minus ? Add(PythonKind::kUnary, begin, "-", {number}) : number;
}

// Parses a capture, a value a.b, or a class a.b(...).
PythonId PythonParser::NamePattern() {
  const std::uint32_t begin = Begin();
  const std::string_view name = Identifier();
  if (!IsOperator(".") && !IsOperator("(")) {
    return Add(PythonKind::kCapturePattern, begin, name == "_" ? "" : name, {0});
  }
  PythonId value = Add(PythonKind::kName, begin, name);
  while (AcceptOperator(".")) {
    const std::string_view attribute = Identifier();
    value = Add(PythonKind::kAttribute, begin, attribute, {value});
  }
  if (IsOperator("(")) return ClassPattern(value, begin);
  return Add(PythonKind::kValuePattern, begin, {}, {value});
}

// Parses a group or a sequence.
PythonId PythonParser::BracketPattern() {
  const std::uint32_t begin = Begin();
  const bool round = IsOperator("(");
  const std::string_view close = round ? ")" : "]";
  Advance();
  Ids patterns;
  bool comma = false;
  bool star = false;
  while (!failed_ && !IsOperator(close)) {
    star = star || IsOperator("*");
    patterns.push_back(IsOperator("*") ? StarPattern() : Pattern());
    comma = IsOperator(",");
    if (!AcceptOperator(",")) break;
  }
  ExpectOperator(close);
  if (round && patterns.size() == 1 && !comma) {
    return star ? Fail("a starred pattern must be followed by ','") : patterns.front();
  }
  return Add(PythonKind::kSequencePattern, begin, {}, patterns);
}

PythonId PythonParser::MappingPattern() {
  const std::uint32_t begin = Begin();
  ExpectOperator("{");
  Ids patterns;
  while (!failed_ && !IsOperator("}")) {
    const bool rest = IsOperator("**");
    patterns.push_back(rest ? StarPattern() : PairPattern());
    if (rest && !failed_ && Node(patterns.back()).text.empty()) return Fail("'_' cannot be bound");
    const bool comma = AcceptOperator(",");
    if (rest || !comma) break;
  }
  ExpectOperator("}");
  return Add(PythonKind::kMappingPattern, begin, {}, patterns);
}

PythonId PythonParser::PairPattern() {
  const std::uint32_t begin = Begin();
  PythonId key = 0;
  if (IsIdentifier()) {
    key = Add(PythonKind::kName, begin, Identifier());
    if (!IsOperator(".")) return Fail("a key must be a literal or an attribute");
    while (AcceptOperator(".")) {
      const std::string_view attribute = Identifier();
      key = Add(PythonKind::kAttribute, begin, attribute, {key});
    }
  } else {
    key = LiteralPattern();
  }
  ExpectOperator(":");
  const PythonId pattern = Pattern();
  return Add(PythonKind::kPairPattern, begin, {}, {key, pattern});
}

PythonId PythonParser::ClassPattern(PythonId name, std::uint32_t begin) {
  ExpectOperator("(");
  Ids parts = {name};
  bool keyword = false;
  while (!failed_ && !IsOperator(")")) {
    const std::uint32_t place = Begin();
    const bool named =
        IsIdentifier() && Ahead(1).text == "=" && Ahead(1).kind == TokenKind::kOperator;
    if (keyword && !named) return Fail("a positional pattern follows a keyword pattern");
    keyword = named;
    if (named) {
      const std::string_view attribute = Identifier();
      ExpectOperator("=");
      const PythonId pattern = Pattern();
      parts.push_back(Add(PythonKind::kKeywordPattern, place, attribute, {pattern}));
    } else {
      parts.push_back(Pattern());
    }
    if (!AcceptOperator(",")) break;
  }
  ExpectOperator(")");
  return Add(PythonKind::kClassPattern, begin, {}, parts);
}

}  // namespace opledger
