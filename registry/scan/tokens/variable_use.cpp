// Classifies a use by the tokens around the name, ignoring parentheses and * &.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tokens/variable_use.h"

#include "clang/Basic/IdentifierTable.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

using Index = TokenStream::Index;
using Form = VariableUse::Form;

// Returns whether the '(' at `open` only encloses a value: (m), (*m), std::move(m).
bool Encloses(const TokenStream& tokens, Index open) {
  const tok::TokenKind before = tokens.KindAt(open - 1);
  if (before == tok::identifier) {
    const std::string_view name = tokens.TextAt(open - 1);
    return name == "move" || name == "ref";
  }
  return before != tok::greater && before != tok::greatergreater && !ClosesBracket(before) &&
         before != tok::kw_decltype && before != tok::kw_sizeof;
}

VariableUse Argument(const TokenStream& tokens, Index open, Index at) {
  VariableUse mention;
  mention.argument = ArgumentIndex(tokens, open, at);
  Index callee = open - 1;
  switch (tokens.KindAt(callee)) {
    case tok::greater:
    case tok::greatergreater:
      callee = tokens.OpeningOf(callee) - 1;
      break;
    case tok::r_brace:
      mention.body = tokens.OpeningOf(callee);
      if (mention.body != TokenStream::kNone) mention.what = Form::kArgument;
      return mention;
    case tok::kw_decltype:
    case tok::kw_sizeof:
      mention.what = Form::kType;
      return mention;
    default:
      break;
  }
  if (callee < 0 || tokens.KindAt(callee) != tok::identifier) return mention;
  mention.other = tokens.NameAt(callee);
  // auto& l(m), Library& l{m}
  const Index before = callee - 1;
  const tok::TokenKind type = tokens.KindAt(before - 1);
  const bool binds =
      (tokens.KindAt(before) == tok::kw_auto) ||
      (IsReference(tokens.KindAt(before)) &&
       (type == tok::kw_auto || (type == tok::identifier && tokens.KindAt(before) != tok::ampamp)));
  mention.what = binds ? Form::kBinds : Form::kArgument;
  // Registrar r(m), Registrar<T> r(m): the constructor takes it.
  Index type_name = before;
  if (tokens.KindAt(before) == tok::greater && tokens.OpeningOf(before) != TokenStream::kNone) {
    type_name = tokens.OpeningOf(before) - 1;
  }
  if (!binds && tokens.KindAt(type_name) == tok::identifier) {
    mention.other = tokens.NameAt(type_name);
  }
  return mention;
}

}  // namespace

int ArgumentIndex(const TokenStream& tokens, Index open, Index at) {
  int index = 0;
  int depth = 0;
  for (Index i = open + 1; i < at; ++i) {
    const tok::TokenKind kind = tokens.KindAt(i);
    depth += OpensBracket(kind) || kind == tok::less;
    depth -= ClosesBracket(kind) || kind == tok::greater;
    depth -= kind == tok::greatergreater ? 2 : 0;
    index += depth == 0 && kind == tok::comma;
  }
  return index;
}

namespace {

// Reads TYPE& OTHER = VARIABLE, with its '=' at `equal`. `next`: the token after the variable.
VariableUse Binding(const TokenStream& tokens, Index equal, const clang::Token& next) {
  VariableUse mention;
  mention.what = Form::kBinds;
  mention.other = tokens.NameAt(equal - 1);
  mention.in_capture = tokens.KindAt(tokens.Enclosing(equal)) == tok::l_square;
  const tok::TokenKind type = tokens.KindAt(equal - 2);
  const bool declares = mention.in_capture || IsReference(type) || type == tok::kw_auto ||
                        type == tok::identifier || type == tok::kw_const;
  if (!declares || !next.isOneOf(tok::semi, tok::comma, tok::r_square)) mention.what = Form::kOther;
  return mention;
}

}  // namespace

VariableUse FormOfUse(const TokenStream& tokens) {
  const Index at = tokens.position();
  VariableUse mention;
  mention.what = Form::kNothing;
  const tok::TokenKind before = tokens.KindAt(at - 1);
  if (before == tok::period || before == tok::arrow || before == tok::coloncolon) return mention;
  Index i = at - 1;
  int open = 0;
  while (true) {
    const tok::TokenKind kind = tokens.KindAt(i);
    if (IsReference(kind)) {
      --i;
    } else if (kind == tok::l_paren && Encloses(tokens, i)) {
      ++open;
      --i;
      if (tokens.KindAt(i) == tok::identifier) i = tokens.NameBegin(i) - 1;
    } else {
      break;
    }
  }
  unsigned closed = 0;
  while (closed < static_cast<unsigned>(open) && tokens.LookAhead(closed).is(tok::r_paren)) {
    ++closed;
  }
  const clang::Token& next = tokens.LookAhead(closed);
  if (next.isOneOf(tok::period, tok::arrow)) {
    mention.what = Form::kMethod;
    mention.parentheses = static_cast<int>(closed);
    return mention;
  }
  const tok::TokenKind kind = tokens.KindAt(i);
  if (kind == tok::equal && tokens.KindAt(i - 1) == tok::identifier) {
    return Binding(tokens, i, next);
  }
  const bool typed = kind == tok::identifier || kind == tok::kw_auto || kind == tok::greater;
  if (typed || kind == tok::kw_const || kind == tok::kw_int || kind == tok::kw_bool) {
    mention.what = Form::kDeclares;
    return mention;
  }
  if (kind == tok::l_square) return mention;
  if (next.isOneOf(tok::equal, tok::l_square)) {
    mention.what = Form::kElement;
    return mention;
  }
  mention.what = Form::kOther;
  if (kind != tok::l_paren && kind != tok::comma && kind != tok::l_brace) return mention;
  const Index around = tokens.Enclosing(i + 1);
  if (tokens.KindAt(around) == tok::l_square) {
    mention.what = Form::kNothing;
  } else if (around != TokenStream::kNone && tokens.KindAt(around) == tok::l_paren) {
    return Argument(tokens, around, at);
  } else if (around != TokenStream::kNone) {
    const VariableUse bound = Argument(tokens, around, at);
    if (bound.what == Form::kBinds) return bound;
  }
  return mention;
}

}  // namespace opledger::scan
