// What "name(...)" is: a call, or the declaration of a function of that name.
//   Op& Register(const char* name);    = &Register("x")    x * Register("y")    return *Register(n)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "registry/scan/tokens/tokens.h"

namespace opledger::scan {

// const, int, auto, struct ...
bool IsTypeWord(clang::tok::TokenKind kind);

// What the arguments of a call, or the parameters of a function, look like.
enum class ArgumentForm {
  kParameters,  // "const char* name", "Registry&&"
  kValues,      // "\"x\"", "f(1)", "&x"
  kEither       // nothing, "Name", "a * b"
};

ArgumentForm FormOf(const std::vector<TokenSpan>& arguments);

enum class CallForm { kCall, kDeclaration, kUnclear };

// Of the name at `name`, with these arguments; `type`: it is a class, so that its own name may
// declare a constructor.
CallForm FormOfCall(const TokenStream& tokens, TokenStream::Index name,
                    const std::vector<TokenSpan>& arguments, bool type);

// Whether the token stands between class NAME and its '{': class NAME : public Base {.
bool InHeadOfClass(const TokenStream& tokens, TokenStream::Index at);

}  // namespace opledger::scan
