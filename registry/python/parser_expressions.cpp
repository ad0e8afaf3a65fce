// Parses expressions, from the weakest operators to the strongest; see parser.h.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "registry/python/parser_state.h"

namespace opledger {
namespace {

// Levels of binary operators from the weakest to the strongest, except **.
constexpr int kPythonLevels = 6;

int PythonLevel(const PythonToken& token) {
  if (token.kind != PythonToken::Kind::kOperator) return -1;
  static constexpr struct {
    std::string_view text;
    int level;
  } kOperators[] = {{"|", 0}, {"^", 1}, {"&", 2}, {"<<", 3}, {">>", 3}, {"+", 4},
                    {"-", 4}, {"*", 5}, {"/", 5}, {"//", 5}, {"%", 5},  {"@", 5}};
  for (const auto& each : kOperators) {
    if (each.text == token.text) return each.level;
  }
  return -1;
}

}  // namespace

PythonId PythonParser::StarExpressions() {
  const std::uint32_t begin = Begin();
  const PythonId first = StarExpression(false);
  if (!IsOperator(",")) return first;
  Ids elements = {first};
  while (AcceptOperator(",")) {
    // Tokens that may follow a trailing comma.
    if (Is(TokenKind::kNewline) || Is(TokenKind::kEnd) || IsOperator("=") || IsOperator(";") ||
        IsOperator(")") || IsOperator(":") || IsOperator("}") || IsOperator("!") ||
        IsOperator("]")) {
      break;
    }
    elements.push_back(StarExpression(false));
  }
  return Add(PythonKind::kTuple, begin, {}, elements);
}

PythonId PythonParser::StarExpressionsOrYield() {
  return IsWord("yield") ? Yield() : StarExpressions();
}

PythonId PythonParser::StarExpression(bool named) {
  const std::uint32_t begin = Begin();
  if (AcceptOperator("*")) {
    const PythonId value = BitwiseOr();
    return Add(PythonKind::kStarred, begin, {}, {value});
  }
  return named ? NamedExpression() : Expression();
}

PythonId PythonParser::NamedExpression() {
  const bool named =
      IsIdentifier() && Ahead(1).kind == TokenKind::kOperator && Ahead(1).text == ":=";
  if (!named) return Expression();
  const std::uint32_t begin = Begin();
  const std::string_view name = Identifier();
  const PythonId target = Add(PythonKind::kName, begin, name);
  ExpectOperator(":=");
  const PythonId value = Expression();
  return Add(PythonKind::kNamed, begin, {}, {target, value});
}

PythonId PythonParser::Expression() {
  const Nesting nesting(*this);
  if (IsWord("lambda")) return Lambda();
  const std::uint32_t begin = Begin();
  const PythonId value = Disjunction();
  if (!AcceptWord("if")) return value;
  const PythonId test = Disjunction();
  ExpectWord("else");
  const PythonId other = Expression();
  return Add(PythonKind::kConditional, begin, {}, {test, value, other});
}

PythonId PythonParser::Yield() {
  const std::uint32_t begin = Begin();
  ExpectWord("yield");
  if (AcceptWord("from")) {
    const PythonId value = Expression();
    return Add(PythonKind::kYieldFrom, begin, {}, {value});
  }
  const bool bare = Is(TokenKind::kNewline) || Is(TokenKind::kEnd) || IsOperator(")") ||
                    IsOperator(";") || IsOperator("=") || IsOperator("}") || IsOperator("!") ||
                    IsOperator(":");
  const PythonId value = bare ? 0 : StarExpressions();
  return Add(PythonKind::kYield, begin, {}, {value});
}

PythonId PythonParser::Lambda() {
  const std::uint32_t begin = Begin();
  ExpectWord("lambda");
  const PythonId parameters = Parameters(":", false);
  ExpectOperator(":");
  const PythonId body = Expression();
  return Add(PythonKind::kLambda, begin, {}, {parameters, body});
}

PythonId PythonParser::Disjunction() {
  const std::uint32_t begin = Begin();
  const PythonId first = Conjunction();
  if (!IsWord("or")) return first;
  Ids operands = {first};
  while (AcceptWord("or")) operands.push_back(Conjunction());
  return Add(PythonKind::kBoolean, begin, "or", operands);
}

PythonId PythonParser::Conjunction() {
  const std::uint32_t begin = Begin();
  const PythonId first = Inversion();
  if (!IsWord("and")) return first;
  Ids operands = {first};
  while (AcceptWord("and")) operands.push_back(Inversion());
  return Add(PythonKind::kBoolean, begin, "and", operands);
}

PythonId PythonParser::Inversion() {
  const std::uint32_t begin = Begin();
  if (!IsWord("not")) return Comparison();
  const Nesting nesting(*this);
  ExpectWord("not");
  const PythonId operand = Inversion();
  return Add(PythonKind::kUnary, begin, "not", {operand});
}

// Consumes a comparison operator. Returns an empty string if there is none.
std::string_view PythonParser::ComparisonOperator() {
  static constexpr std::string_view kSigns[] = {"==", "!=", "<", "<=", ">", ">="};
  const std::string_view text = Current().text;
  if (Is(TokenKind::kOperator)) {
    if (std::find(std::begin(kSigns), std::end(kSigns), text) == std::end(kSigns)) return {};
    Advance();
    return text;
  }
  if (AcceptWord("in")) return "in";
  if (IsWord("not") && Ahead(1).text == "in" && Ahead(1).kind == TokenKind::kName) {
    Advance();
    Advance();
    return "not in";
  }
  if (!AcceptWord("is")) return {};
  return AcceptWord("not") ? "is not" : "is";
}

PythonId PythonParser::Comparison() {
  const std::uint32_t begin = Begin();
  const PythonId first = BitwiseOr();
  std::uint32_t place = Begin();
  std::string_view op = ComparisonOperator();
  if (op.empty()) return first;
  Ids operands = {first};
  while (!op.empty()) {
    const PythonId right = BitwiseOr();
    operands.push_back(Add(PythonKind::kCompared, place, op, {right}));
    place = Begin();
    op = ComparisonOperator();
  }
  return Add(PythonKind::kComparison, begin, {}, operands);
}

PythonId PythonParser::Binary(int weakest) {
  const std::uint32_t begin = Begin();
  PythonId left = Factor();
  for (int level = PythonLevel(Current()); level >= weakest; level = PythonLevel(Current())) {
    const std::string_view op = Current().text;
    Advance();
    const PythonId right = level + 1 < kPythonLevels ? Binary(level + 1) : Factor();
    left = Add(PythonKind::kBinary, begin, op, {left, right});
  }
  return left;
}

PythonId PythonParser::Factor() {
  if (!IsOperator("-") && !IsOperator("+") && !IsOperator("~")) return Power();
  const Nesting nesting(*this);
  const std::uint32_t begin = Begin();
  const std::string_view op = Current().text;
  Advance();
  const PythonId operand = Factor();
  return Add(PythonKind::kUnary, begin, op, {operand});
}

PythonId PythonParser::Power() {
  const std::uint32_t begin = Begin();
  const PythonId base = AwaitPrimary();
  if (!AcceptOperator("**")) return base;
  const Nesting nesting(*this);
  const PythonId exponent = Factor();
  return Add(PythonKind::kBinary, begin, "**", {base, exponent});
}

PythonId PythonParser::AwaitPrimary() {
  const std::uint32_t begin = Begin();
  if (!AcceptWord("await")) return Primary();
  const PythonId value = Primary();
  return Add(PythonKind::kAwait, begin, {}, {value});
}

PythonId PythonParser::Primary() {
  const std::uint32_t begin = Begin();
  PythonId value = Atom();
  while (!failed_ && (IsOperator(".") || IsOperator("(") || IsOperator("["))) {
    value = Trailer(value, begin);
  }
  return value;
}

PythonId PythonParser::Trailer(PythonId value, std::uint32_t begin) {
  if (AcceptOperator(".")) {
    const std::string_view name = Identifier();
    return Add(PythonKind::kAttribute, begin, name, {value});
  }
  if (AcceptOperator("[")) {
    const PythonId index = Index();
    ExpectOperator("]");
    return Add(PythonKind::kSubscript, begin, {}, {value, index});
  }
  Ids parts = {value};
  Arguments(parts, true);
  return Add(PythonKind::kCall, begin, {}, parts);
}

}  // namespace opledger
