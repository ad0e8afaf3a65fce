// Parses functions, classes and their parameters; see parser.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/python/parser_state.h"

namespace opledger {

PythonId PythonParser::Function(std::uint32_t begin, PythonId decorators, bool async) {
  ExpectWord("def");
  const std::string_view name = Identifier();
  const PythonId types = TypeParameters();
  ExpectOperator("(");
  const PythonId parameters = Parameters(")", true);
  ExpectOperator(")");
  const PythonId returns = AcceptOperator("->") ? Expression() : 0;
  const PythonId body = Block();
  const PythonId id =
      Add(PythonKind::kFunction, begin, name, {decorators, types, parameters, returns, body});
  if (!failed_) Node(id).async = async;
  return id;
}

PythonId PythonParser::Class(std::uint32_t begin, PythonId decorators) {
  ExpectWord("class");
  const std::string_view name = Identifier();
  const PythonId types = TypeParameters();
  const std::uint32_t place = Begin();
  Ids arguments;
  if (IsOperator("(")) Arguments(arguments, false);
  const PythonId bases = Add(PythonKind::kArguments, place, {}, arguments);
  const PythonId body = Block();
  return Add(PythonKind::kClass, begin, name, {decorators, types, bases, body});
}

// Parses parameters up to `close`, which is not consumed. Annotations are allowed only if
// `annotated`.
PythonId PythonParser::Parameters(std::string_view close, bool annotated) {
  const std::uint32_t begin = Begin();
  Ids parameters;
  PythonKind kind = PythonKind::kParameter;
  bool slash = false;
  bool defaults = false;
  while (!failed_ && !IsOperator(close)) {
    if (IsOperator("*") && kind == PythonKind::kParameter) {
      kind = PythonKind::kKeywordParameter;
      if (!StarredParameter(parameters, annotated)) Fail("a parameter must follow the '*'");
    } else if (IsOperator("**")) {
      parameters.push_back(Parameter(PythonKind::kDoubleStarParameter, annotated));
      AcceptOperator(",");
      break;
    } else if (IsOperator("/") && kind == PythonKind::kParameter && !slash && !parameters.empty()) {
      Advance();
      slash = true;
      for (const PythonId id : parameters) Node(id).kind = PythonKind::kPositionalParameter;
    } else {
      const std::uint32_t place = Begin();
      const PythonId id = Parameter(kind, annotated);
      const bool value = !failed_ && tree_.Child(id, 1) != 0;
      if (!value && defaults && kind == PythonKind::kParameter) {
        FailAt(place, last_end_, "a parameter without a default follows one with a default");
      }
      defaults = defaults || value;
      parameters.push_back(id);
    }
    if (!AcceptOperator(",")) break;
  }
  return Add(PythonKind::kParameters, begin, {}, parameters);
}

// Parses *name, or a bare *. Returns false if nothing follows a bare *.
bool PythonParser::StarredParameter(Ids& parameters, bool annotated) {
  const bool alone = Ahead(1).kind == TokenKind::kOperator;
  if (!alone) {
    parameters.push_back(Parameter(PythonKind::kStarParameter, annotated));
    return true;
  }
  Advance();
  return IsOperator(",") && Ahead(1).kind == TokenKind::kName;
}

PythonId PythonParser::Parameter(PythonKind kind, bool annotated) {
  const bool star = kind == PythonKind::kStarParameter;
  const bool starred = star || kind == PythonKind::kDoubleStarParameter;
  const std::uint32_t begin = Begin();
  if (starred) Advance();
  const std::string_view name = Identifier();
  PythonId annotation = 0;
  if (annotated && AcceptOperator(":")) annotation = star ? StarExpression(false) : Expression();
  const PythonId value = !starred && AcceptOperator("=") ? Expression() : 0;
  return Add(kind, begin, name, {annotation, value});
}

// Parses an optional [T: bound = default, *Ts, **P].
PythonId PythonParser::TypeParameters() {
  const std::uint32_t begin = Begin();
  if (!AcceptOperator("[")) return 0;
  Ids parameters;
  do {
    parameters.push_back(TypeParameter());
  } while (AcceptOperator(",") && !IsOperator("]"));
  ExpectOperator("]");
  return Add(PythonKind::kTypeParameters, begin, {}, parameters);
}

PythonId PythonParser::TypeParameter() {
  const std::uint32_t begin = Begin();
  PythonKind kind = PythonKind::kTypeParameter;
  if (AcceptOperator("*")) kind = PythonKind::kTypeTupleParameter;
  if (AcceptOperator("**")) kind = PythonKind::kTypeKeywordParameter;
  const std::string_view name = Identifier();
  const bool plain = kind == PythonKind::kTypeParameter;
  const PythonId bound = plain && AcceptOperator(":") ? Expression() : 0;
  const bool tuple = kind == PythonKind::kTypeTupleParameter;
  const PythonId value = !AcceptOperator("=") ? 0 : tuple ? StarExpression(false) : Expression();
  return Add(kind, begin, name, {bound, value});
}

}  // namespace opledger
