// An argument that is a string or another value makes a call; an argument with a type before a name
// makes a declaration. Otherwise the tokens before the name decide.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tokens/call_form.h"

#include <algorithm>

namespace opledger::scan {

namespace tok = clang::tok;

bool IsTypeWord(tok::TokenKind kind) {
  switch (kind) {
    case tok::kw_const:
    case tok::kw_volatile:
    case tok::kw_void:
    case tok::kw_bool:
    case tok::kw_char:
    case tok::kw_char8_t:
    case tok::kw_char16_t:
    case tok::kw_char32_t:
    case tok::kw_wchar_t:
    case tok::kw_short:
    case tok::kw_int:
    case tok::kw_long:
    case tok::kw_signed:
    case tok::kw_unsigned:
    case tok::kw_float:
    case tok::kw_double:
    case tok::kw_auto:
    case tok::kw_struct:
    case tok::kw_class:
    case tok::kw_enum:
    case tok::kw_union:
      return true;
    default:
      return false;
  }
}

namespace {

using Index = TokenStream::Index;

// Tokens that may precede the type of a declaration.
bool IsSpecifier(tok::TokenKind kind) {
  switch (kind) {
    case tok::kw_static:
    case tok::kw_extern:
    case tok::kw_inline:
    case tok::kw_virtual:
    case tok::kw_explicit:
    case tok::kw_friend:
    case tok::kw_constexpr:
    case tok::kw_consteval:
    case tok::kw_typename:
    case tok::kw_thread_local:
    case tok::kw_mutable:
      return true;
    default:
      return IsTypeWord(kind);
  }
}

bool IsValueWord(const TextToken& token) {
  switch (token.kind) {
    case tok::string_literal:
    case tok::utf8_string_literal:
    case tok::wide_string_literal:
    case tok::char_constant:
    case tok::kw_true:
    case tok::kw_false:
    case tok::kw_nullptr:
    case tok::kw_this:
    case tok::kw_new:
    case tok::kw_sizeof:
    case tok::period:
    case tok::arrow:
    case tok::question:
    case tok::plus:
    case tok::minus:
    case tok::l_brace:
      return true;
    default:
      return false;
  }
}

// Returns the end of the template arguments that open at `open`; `open` if they do not end.
std::size_t BehindAngles(TokenSpan tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < tokens.size(); ++at) {
    if (OpensBracket(tokens[at].kind)) {
      at = ClosingBracket(tokens, at);
      if (at == tokens.size()) return open;
    }
    depth += tokens[at].kind == tok::less;
    depth -= tokens[at].kind == tok::greater;
    depth -= tokens[at].kind == tok::greatergreater ? 2 : 0;
    if (depth <= 0) return at;
  }
  return open;
}

// Returns whether the bracket opens a pointer or reference declarator: (*f)(), (&a)[2],
// (Class::*m)()
bool IsDeclarator(TokenSpan tokens, std::size_t open) {
  const std::size_t close = ClosingBracket(tokens, open);
  if (tokens[open].kind != tok::l_paren || close + 1 >= tokens.size()) return false;
  if (!OpensBracket(tokens[close + 1].kind)) return false;
  std::size_t at = open + 1;
  while (tokens[at].kind == tok::identifier || tokens[at].kind == tok::coloncolon) ++at;
  return IsReference(tokens[at].kind);
}

// Classifies an argument, ignoring a default value after '='.
ArgumentForm FormOfOne(TokenSpan argument) {
  if (argument.empty()) return ArgumentForm::kEither;
  const tok::TokenKind first = argument.front().kind;
  if (first == tok::ellipsis) return ArgumentForm::kParameters;
  // char(x) is a value; const char* s and void (*f)() are parameters.
  const bool cast =
      argument.size() > 1 && OpensBracket(argument[1].kind) && !IsDeclarator(argument, 1);
  if (first == tok::kw_typename) return ArgumentForm::kParameters;
  if (IsTypeWord(first)) return cast ? ArgumentForm::kValues : ArgumentForm::kParameters;
  if (IsReference(first) || first == tok::exclaim || first == tok::l_square) {
    return ArgumentForm::kValues;
  }
  for (std::size_t at = 0; at < argument.size() && argument[at].kind != tok::equal; ++at) {
    const tok::TokenKind kind = argument[at].kind;
    if (kind == tok::l_paren && IsDeclarator(argument, at)) return ArgumentForm::kEither;
    if (IsValueWord(argument[at]) || kind == tok::numeric_constant || kind == tok::l_paren) {
      return ArgumentForm::kValues;
    }
    const bool last = at + 1 == argument.size() || argument[at + 1].kind == tok::equal;
    if (kind == tok::kw_const || (IsReference(kind) && last)) return ArgumentForm::kParameters;
    std::size_t end = at;
    if (kind == tok::less) {
      end = BehindAngles(argument, at);
      if (end == at) return ArgumentForm::kValues;
    } else if (kind != tok::identifier) {
      continue;
    }
    at = end;
    const bool name = at + 1 < argument.size() && argument[at + 1].kind == tok::identifier;
    if (name) return ArgumentForm::kParameters;  // Type<T> name
  }
  return ArgumentForm::kEither;
}

// Returns whether a type that begins its statement ends at `at`.
bool TypeEndsAt(const TokenStream& tokens, Index at) {
  Index i = at;
  bool name = false;
  while (i >= 0) {
    const tok::TokenKind kind = tokens.KindAt(i);
    if (IsReference(kind) || IsSpecifier(kind)) {
      --i;
    } else if (kind == tok::identifier || kind == tok::greater || kind == tok::greatergreater) {
      const Index begin = tokens.NameBegin(i);
      if (begin == i && kind != tok::identifier) {
        const Index open = tokens.OpeningOf(i);  // template <class T>
        return open != TokenStream::kNone && tokens.KindAt(open - 1) == tok::kw_template;
      }
      name = true;
      i = begin - 1;
      if (tokens.KindAt(i) == tok::coloncolon) --i;
    } else {
      break;
    }
  }
  const tok::TokenKind before = tokens.KindAt(i);
  return before == tok::eof || before == tok::semi || before == tok::l_brace ||
         before == tok::r_brace || before == tok::r_square || before == tok::string_literal ||
         (before == tok::colon && name) || (before == tok::r_paren && name);
}

// Classifies by the token before the (qualified) name. kUnclear: the arguments decide.
CallForm FormBefore(const TokenStream& tokens, Index before) {
  switch (tokens.KindAt(before)) {
    case tok::tilde:
      return CallForm::kDeclaration;
    case tok::star:
    case tok::amp:
    case tok::ampamp: {
      Index i = before;
      while (IsReference(tokens.KindAt(i)) || tokens.KindAt(i) == tok::kw_const) --i;
      const tok::TokenKind kind = tokens.KindAt(i);
      const bool type = kind == tok::identifier || kind == tok::greater || IsTypeWord(kind);
      return type && TypeEndsAt(tokens, i) ? CallForm::kDeclaration : CallForm::kCall;
    }
    case tok::identifier:
    case tok::greater:
    case tok::greatergreater:
      return TypeEndsAt(tokens, before) ? CallForm::kDeclaration : CallForm::kCall;
    default:
      return IsSpecifier(tokens.KindAt(before)) ? CallForm::kDeclaration : CallForm::kCall;
  }
}

}  // namespace

ArgumentForm FormOf(const std::vector<TokenSpan>& arguments) {
  bool parameters = false;
  for (TokenSpan argument : arguments) {
    const ArgumentForm form = FormOfOne(argument);
    if (form == ArgumentForm::kValues) return form;
    parameters = parameters || form == ArgumentForm::kParameters;
  }
  return parameters ? ArgumentForm::kParameters : ArgumentForm::kEither;
}

CallForm FormOfCall(const TokenStream& tokens, Index name, const std::vector<TokenSpan>& arguments,
                    bool type) {
  const ArgumentForm form = FormOf(arguments);
  if (form == ArgumentForm::kValues) return CallForm::kCall;
  const Index begin = tokens.NameBegin(name);
  Index before = begin - 1;
  if (tokens.KindAt(before) == tok::coloncolon) --before;  // ::Register(x)
  if (form == ArgumentForm::kParameters) {
    // = Register(PREFIX SUFFIX) with macros whose definitions were not found.
    const tok::TokenKind kind = tokens.KindAt(before);
    const bool value = kind == tok::equal || kind == tok::kw_return;
    return value ? CallForm::kCall : CallForm::kDeclaration;
  }
  const bool empty = arguments.empty() || (arguments.size() == 1 && arguments[0].empty());
  const CallForm said = FormBefore(tokens, before);
  if (said == CallForm::kDeclaration) {
    // MACRO Register(kName); may be either.
    return empty || tokens.KindAt(before) != tok::identifier ? said : CallForm::kUnclear;
  }
  if (!empty || !type) return said;
  // Type() at the beginning of a class member.
  const tok::TokenKind kind = tokens.KindAt(before);
  const bool begins = kind == tok::eof || kind == tok::semi || kind == tok::l_brace ||
                      kind == tok::r_brace || kind == tok::colon;
  return begins ? CallForm::kDeclaration : CallForm::kCall;
}

bool InHeadOfClass(const TokenStream& tokens, Index at) {
  for (Index i = tokens.StatementBegin(at); i < at; ++i) {
    const tok::TokenKind kind = tokens.KindAt(i);
    if (kind == tok::l_paren || kind == tok::equal) return false;
    if (kind == tok::kw_template && tokens.KindAt(i + 1) == tok::less) {
      int depth = 0;
      for (++i; i < at; ++i) {
        depth += tokens.KindAt(i) == tok::less;
        depth -= tokens.KindAt(i) == tok::greater;
        if (depth == 0) break;
      }
      continue;
    }
    if (kind == tok::kw_class || kind == tok::kw_struct || kind == tok::kw_union) return true;
  }
  return false;
}

}  // namespace opledger::scan
