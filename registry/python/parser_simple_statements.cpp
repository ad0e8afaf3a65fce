// Parses statements without a block; see parser.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/python/parser_state.h"

namespace opledger {

// Parses a; b.
void PythonParser::SimpleStatements(Ids& statements) {
  do {
    statements.push_back(SimpleStatement());
  } while (AcceptOperator(";") && !Is(TokenKind::kNewline));
  if (Is(TokenKind::kNewline)) {
    Advance();
  } else {
    Fail("expected the end of the statement");
  }
}

PythonId PythonParser::SimpleStatement() {
  static constexpr struct {
    std::string_view word;
    PythonId (PythonParser::*read)();
  } kStatements[] = {{"del", &PythonParser::Delete},      {"import", &PythonParser::Import},
                     {"from", &PythonParser::ImportFrom}, {"return", &PythonParser::Return},
                     {"raise", &PythonParser::Raise},     {"assert", &PythonParser::Assert}};
  static constexpr struct {
    std::string_view word;
    PythonKind kind;
  } kWords[] = {{"pass", PythonKind::kPass},
                {"break", PythonKind::kBreak},
                {"continue", PythonKind::kContinue}};
  const std::uint32_t begin = Begin();
  for (const auto& each : kStatements) {
    if (IsWord(each.word)) return (this->*each.read)();
  }
  for (const auto& each : kWords) {
    if (AcceptWord(each.word)) return Add(each.kind, begin);
  }
  if (IsWord("global")) return Names(PythonKind::kGlobal);
  if (IsWord("nonlocal")) return Names(PythonKind::kNonlocal);
  const bool alias =
      IsWord("type") && Ahead(1).kind == TokenKind::kName && !IsPythonKeyword(Ahead(1).text);
  return alias ? TypeAlias() : ExpressionOrAssignment();
}

PythonId PythonParser::ExpressionOrAssignment() {
  static constexpr std::string_view kAugmented[] = {
      "+=", "-=", "*=", "@=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "**=", "//="};
  const std::uint32_t begin = Begin();
  const PythonId first = StarExpressionsOrYield();
  if (IsOperator("=")) return Assignment(first, begin);
  if (AcceptOperator(":")) return AnnotatedAssignment(first, begin);
  for (const std::string_view op : kAugmented) {
    if (!IsOperator(op)) continue;
    CheckSingleTarget(first);
    if (!failed_) Advance();
    const PythonId value = StarExpressionsOrYield();
    return Add(PythonKind::kAugmentedAssign, begin, op.substr(0, op.size() - 1), {first, value});
  }
  return Add(PythonKind::kExpressionStatement, begin, {}, {first});
}

PythonId PythonParser::Assignment(PythonId first, std::uint32_t begin) {
  Ids parts = {0, first};
  while (AcceptOperator("=")) {
    CheckTarget(parts.back(), true);
    if (!failed_) parts.push_back(StarExpressionsOrYield());
  }
  parts.front() = parts.back();
  parts.pop_back();
  return Add(PythonKind::kAssign, begin, {}, parts);
}

PythonId PythonParser::AnnotatedAssignment(PythonId target, std::uint32_t begin) {
  CheckSingleTarget(target);
  const PythonId annotation = Expression();
  const PythonId value = AcceptOperator("=") ? StarExpressionsOrYield() : 0;
  const PythonId id = Add(PythonKind::kAnnotatedAssign, begin, {}, {target, annotation, value});
  if (!failed_) {
    Node(id).simple = Node(target).kind == PythonKind::kName && !Node(target).parenthesized;
  }
  return id;
}

PythonId PythonParser::Delete() {
  const std::uint32_t begin = Begin();
  ExpectWord("del");
  Ids targets;
  do {
    targets.push_back(BitwiseOr());
    CheckDeleteTarget(targets.back());
  } while (AcceptOperator(",") && !Is(TokenKind::kNewline) && !IsOperator(";"));
  return Add(PythonKind::kDelete, begin, {}, targets);
}

// Parses the names of global and nonlocal.
PythonId PythonParser::Names(PythonKind kind) {
  const std::uint32_t begin = Begin();
  Advance();
  Ids names;
  do {
    const std::uint32_t place = Begin();
    const std::string_view name = Identifier();
    names.push_back(Add(PythonKind::kName, place, name));
  } while (AcceptOperator(","));
  return Add(kind, begin, {}, names);
}

PythonId PythonParser::Import() {
  const std::uint32_t begin = Begin();
  ExpectWord("import");
  Ids aliases;
  do {
    aliases.push_back(Alias(true));
  } while (AcceptOperator(","));
  return Add(PythonKind::kImport, begin, {}, aliases);
}

// Returns a.b without any spaces in it.
std::string_view PythonParser::DottedModule() {
  const std::uint32_t begin = Begin();
  std::string name(Identifier());
  while (AcceptOperator(".")) {
    name += '.';
    name += Identifier();
  }
  if (failed_) return {};
  const std::string_view written = std::string_view(source_->text()).substr(begin, name.size());
  return written == name ? written : Keep(std::move(name));
}

PythonId PythonParser::Alias(bool dotted) {
  const std::uint32_t begin = Begin();
  const std::string_view name = dotted ? DottedModule() : Identifier();
  PythonId bound = 0;
  if (AcceptWord("as")) {
    const std::uint32_t place = Begin();
    const std::string_view text = Identifier();
    bound = Add(PythonKind::kName, place, text);
  }
  return Add(PythonKind::kAlias, begin, name, {bound});
}

PythonId PythonParser::ImportFrom() {
  const std::uint32_t begin = Begin();
  ExpectWord("from");
  std::size_t level = 0;
  while (IsOperator(".") || IsOperator("...")) {
    level += Current().text.size();
    Advance();
  }
  const std::string_view module = level > 0 && IsWord("import") ? "" : DottedModule();
  ExpectWord("import");
  Ids aliases;
  const std::uint32_t place = Begin();
  if (AcceptOperator("*")) {
    aliases.push_back(Add(PythonKind::kAlias, place, "*", {0}));
  } else {
    const bool bracket = AcceptOperator("(");
    do {
      aliases.push_back(Alias(false));
    } while (AcceptOperator(",") && !(bracket && IsOperator(")")));
    if (bracket) ExpectOperator(")");
  }
  const PythonId id = Add(PythonKind::kImportFrom, begin, module, aliases);
  if (!failed_) Node(id).level = static_cast<std::uint16_t>(level);
  return id;
}

PythonId PythonParser::Return() {
  const std::uint32_t begin = Begin();
  ExpectWord("return");
  const bool bare = Is(TokenKind::kNewline) || IsOperator(";");
  const PythonId value = bare ? 0 : StarExpressions();
  return Add(PythonKind::kReturn, begin, {}, {value});
}

PythonId PythonParser::Raise() {
  const std::uint32_t begin = Begin();
  ExpectWord("raise");
  const bool bare = Is(TokenKind::kNewline) || IsOperator(";");
  const PythonId exception = bare ? 0 : Expression();
  const PythonId cause = !bare && AcceptWord("from") ? Expression() : 0;
  return Add(PythonKind::kRaise, begin, {}, {exception, cause});
}

PythonId PythonParser::Assert() {
  const std::uint32_t begin = Begin();
  ExpectWord("assert");
  const PythonId test = Expression();
  const PythonId message = AcceptOperator(",") ? Expression() : 0;
  return Add(PythonKind::kAssert, begin, {}, {test, message});
}

PythonId PythonParser::TypeAlias() {
  const std::uint32_t begin = Begin();
  ExpectWord("type");
  const std::uint32_t place = Begin();
  const std::string_view text = Identifier();
  const PythonId name = Add(PythonKind::kName, place, text);
  const PythonId parameters = TypeParameters();
  ExpectOperator("=");
  const PythonId value = Expression();
  return Add(PythonKind::kTypeAlias, begin, {}, {name, parameters, value});
}

}  // namespace opledger
