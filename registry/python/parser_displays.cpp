// Parses atoms, displays in brackets, comprehensions, arguments and subscripts; see parser.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/python/parser_state.h"

namespace opledger {

PythonId PythonParser::Atom() {
  const std::uint32_t begin = Begin();
  const std::string_view text = Current().text;
  if (Is(TokenKind::kString) || Is(TokenKind::kFormatStart)) return Strings();
  if (Is(TokenKind::kNumber)) {
    Advance();
    return Add(PythonKind::kNumber, begin, text);
  }
  if (IsWord("None") || IsWord("True") || IsWord("False") || IsOperator("...")) {
    Advance();
    return Add(PythonKind::kConstant, begin, text);
  }
  if (IsOperator("(")) return Group();
  if (IsOperator("[")) return ListDisplay();
  if (IsOperator("{")) return BraceDisplay();
  if (!IsIdentifier()) return Fail("expected an expression");
  Advance();
  return Add(PythonKind::kName, begin, text);
}

// Parses (), (a), (a,), (yield), (a for a in b).
PythonId PythonParser::Group() {
  const std::uint32_t begin = Begin();
  ExpectOperator("(");
  if (AcceptOperator(")")) return Add(PythonKind::kTuple, begin);
  const PythonId first = IsWord("yield") ? Yield() : StarExpression(true);
  if (AtClause()) return Comprehension(PythonKind::kGenerator, begin, first, ")");
  const bool yield = Node(first).kind == PythonKind::kYield && !Node(first).parenthesized;
  if (IsOperator(",") && !yield) {
    const Ids elements = Elements(first, ")");
    return Add(PythonKind::kTuple, begin, {}, elements);
  }
  if (Node(first).kind == PythonKind::kStarred)
    return Fail("a starred expression must be followed by ','");
  ExpectOperator(")");
  if (!failed_) Node(first).parenthesized = true;
  return first;
}

// Parses what follows the first element, including `close`.
PythonParser::Ids PythonParser::Elements(PythonId first, std::string_view close) {
  Ids elements = {first};
  while (AcceptOperator(",") && !IsOperator(close)) elements.push_back(StarExpression(true));
  ExpectOperator(close);
  return elements;
}

PythonId PythonParser::ListDisplay() {
  const std::uint32_t begin = Begin();
  ExpectOperator("[");
  if (AcceptOperator("]")) return Add(PythonKind::kList, begin);
  const PythonId first = StarExpression(true);
  if (AtClause()) return Comprehension(PythonKind::kListComprehension, begin, first, "]");
  const Ids elements = Elements(first, "]");
  return Add(PythonKind::kList, begin, {}, elements);
}

PythonId PythonParser::BraceDisplay() {
  const std::uint32_t begin = Begin();
  ExpectOperator("{");
  if (AcceptOperator("}")) return Add(PythonKind::kDict, begin);
  const PythonId first = IsOperator("**") ? DictItem() : StarExpression(true);
  const bool unpacked = !failed_ && Node(first).star;
  if (!IsOperator(":") && !unpacked) {
    if (AtClause()) return Comprehension(PythonKind::kSetComprehension, begin, first, "}");
    const Ids elements = Elements(first, "}");
    return Add(PythonKind::kSet, begin, {}, elements);
  }
  Ids items = {first};
  if (!unpacked) {
    const PythonKind kind = Node(first).kind;
    const bool bare = !Node(first).parenthesized;
    if (kind == PythonKind::kStarred || (kind == PythonKind::kNamed && bare)) {
      return Fail("invalid key");
    }
    const std::uint32_t key_begin = Node(first).begin;
    ExpectOperator(":");
    const PythonId value = Expression();
    items[0] = Add(PythonKind::kPair, key_begin, {}, {first, value});
    if (AtClause()) return Comprehension(PythonKind::kDictComprehension, begin, items[0], "}");
  }
  while (AcceptOperator(",") && !IsOperator("}")) items.push_back(DictItem());
  ExpectOperator("}");
  return Add(PythonKind::kDict, begin, {}, items);
}

// Parses key: value, or **mapping.
PythonId PythonParser::DictItem() {
  const std::uint32_t begin = Begin();
  if (AcceptOperator("**")) {
    const PythonId value = BitwiseOr();
    const PythonId item = Add(PythonKind::kStarred, begin, {}, {value});
    if (!failed_) Node(item).star = true;
    return item;
  }
  const PythonId key = Expression();
  ExpectOperator(":");
  const PythonId value = Expression();
  return Add(PythonKind::kPair, begin, {}, {key, value});
}

bool PythonParser::AtClause() const {
  return IsWord("for") || (IsWord("async") && Ahead(1).text == "for");
}

PythonId PythonParser::Comprehension(PythonKind kind, std::uint32_t begin, PythonId element,
                                     std::string_view close) {
  const PythonKind what = Node(element).kind;
  const bool yield = (what == PythonKind::kYield || what == PythonKind::kYieldFrom) &&
                     !Node(element).parenthesized;
  if (what == PythonKind::kStarred || yield)
    return Fail("a comprehension must have exactly one value");
  Ids parts = {element};
  while (AtClause()) parts.push_back(Clause());
  ExpectOperator(close);
  return Add(kind, begin, {}, parts);
}

PythonId PythonParser::Clause() {
  const std::uint32_t begin = Begin();
  const bool async = AcceptWord("async");
  ExpectWord("for");
  const PythonId target = TargetList();
  ExpectWord("in");
  const PythonId iterable = Disjunction();
  Ids parts = {target, iterable};
  while (AcceptWord("if")) parts.push_back(Disjunction());
  const PythonId clause = Add(PythonKind::kClause, begin, {}, parts);
  if (!failed_) Node(clause).async = async;
  return clause;
}

// Parses from the opening bracket past the closing one.
void PythonParser::Arguments(Ids& arguments, bool generator_allowed) {
  const std::uint32_t begin = Begin();
  ExpectOperator("(");
  const std::size_t others = arguments.size();
  bool keyword = false;
  bool unpacked = false;
  while (!failed_ && !IsOperator(")")) {
    const PythonId argument = Argument();
    if (AtClause()) {
      const PythonKind kind = Node(argument).kind;
      const bool alone = generator_allowed && arguments.size() == others;
      if (!alone || kind == PythonKind::kKeyword) {
        Fail("a generator expression next to other arguments must be in parentheses");
        return;
      }
      arguments.push_back(Comprehension(PythonKind::kGenerator, begin, argument, ")"));
      return;
    }
    CheckArgumentOrder(argument, keyword, unpacked);
    arguments.push_back(argument);
    if (!AcceptOperator(",")) break;
  }
  ExpectOperator(")");
}

PythonId PythonParser::Argument() {
  const std::uint32_t begin = Begin();
  if (AcceptOperator("*")) {
    const PythonId value = Expression();
    return Add(PythonKind::kStarred, begin, {}, {value});
  }
  if (AcceptOperator("**")) {
    const PythonId value = Expression();
    return Add(PythonKind::kKeyword, begin, {}, {value});
  }
  const bool named =
      IsIdentifier() && Ahead(1).kind == TokenKind::kOperator && Ahead(1).text == "=";
  if (!named) return NamedExpression();
  const std::string_view name = Identifier();
  ExpectOperator("=");
  const PythonId value = Expression();
  return Add(PythonKind::kKeyword, begin, name, {value});
}

void PythonParser::CheckArgumentOrder(PythonId argument, bool& keyword, bool& unpacked) {
  if (failed_) return;
  const PythonNode& node = Node(argument);
  const bool is_keyword = node.kind == PythonKind::kKeyword;
  const bool starred = node.kind == PythonKind::kStarred && !node.parenthesized;
  if (!is_keyword && (unpacked || (keyword && !starred))) {
    FailAt(node.begin, node.end, "a positional argument follows a keyword argument");
    return;
  }
  keyword = keyword || is_keyword;
  unpacked = unpacked || (is_keyword && node.text.empty());
}

// Parses the text between [ and ].
PythonId PythonParser::Index() {
  const std::uint32_t begin = Begin();
  const PythonId first = SliceOrStar();
  const bool starred = !failed_ && Node(first).kind == PythonKind::kStarred;
  if (!IsOperator(",") && !starred) return first;
  Ids parts = {first};
  while (AcceptOperator(",") && !IsOperator("]")) parts.push_back(SliceOrStar());
  return Add(PythonKind::kTuple, begin, {}, parts);
}

PythonId PythonParser::SliceOrStar() {
  const std::uint32_t begin = Begin();
  if (AcceptOperator("*")) {  // any expression, as in an argument: x[a, *not b]
    const PythonId value = Expression();
    return Add(PythonKind::kStarred, begin, {}, {value});
  }
  const PythonId lower = IsOperator(":") ? 0 : NamedExpression();
  if (failed_ || !IsOperator(":")) return lower;
  if (Node(lower).kind == PythonKind::kNamed && !Node(lower).parenthesized) {
    return Fail("invalid slice bound");
  }
  ExpectOperator(":");
  const auto at_end = [&] { return IsOperator(":") || IsOperator(",") || IsOperator("]"); };
  const PythonId upper = at_end() ? 0 : Expression();
  const PythonId step = AcceptOperator(":") && !at_end() ? Expression() : 0;
  return Add(PythonKind::kSlice, begin, {}, {lower, upper, step});
}

}  // namespace opledger
