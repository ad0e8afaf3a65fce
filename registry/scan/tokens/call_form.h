// Tells whether "name(...)" is a call or the declaration of a function of that name.
//   Op& Register(const char* name);    = &Register("x")    x * Register("y")    return *Register(n)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "registry/scan/tokens/tokens.h"

namespace opledger::scan {

// const, int, auto, struct ...
bool IsTypeWord(clang::tok::TokenKind kind);

// Whether a list in parentheses looks like arguments of a call or parameters of a function.
enum class ArgumentForm {
  kParameters,  // "const char* name", "Registry&&"
  kValues,      // "\"x\"", "f(1)", "&x"
  kEither       // empty, "Name", "a * b"
};

ArgumentForm FormOf(const std::vector<TokenSpan>& arguments);

enum class CallForm { kCall, kDeclaration, kUnclear };

// Classifies the name at `name` with these arguments. `type`: the name is that of a class, so that
// it may declare a constructor.
CallForm FormOfCall(const TokenStream& tokens, TokenStream::Index name,
                    const std::vector<TokenSpan>& arguments, bool type);

// Returns whether the token is between class NAME and its '{': class NAME : public Base {.
bool InHeadOfClass(const TokenStream& tokens, TokenStream::Index at);

}  // namespace opledger::scan
