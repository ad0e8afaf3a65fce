// Which element types a function can run in at most, by its statements: the types of the macros
// that it always comes to and that choose code by type.
//   { AT_DISPATCH_FLOATING_TYPES(iter.dtype(), "erf", [&] { ... }); }  ->  t 1 2 float32 float64
// An upper bound, never too small: what is not understood allows every type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clang/Basic/TokenKinds.h"
#include "registry/dialect/dialect.h"

namespace opledger::scan {

struct CodeToken {
  clang::tok::TokenKind kind;
  std::string text;
  bool directive = false;  // stands for one, whose tokens are left out

  bool Is(clang::tok::TokenKind other) const { return kind == other; }
  bool Is(std::string_view word) const { return text == word; }
};
using CodeTokens = std::span<const CodeToken>;

// The tokens of `text`, which a NUL follows in memory; macros that it defines are added to
// `defined`, by name as often as they are defined.
struct FunctionMacro {
  std::vector<std::string> parameters;  // "..." the last
  std::string body;
};
using FunctionMacros = std::multimap<std::string, FunctionMacro>;
std::vector<CodeToken> CodeTokensOf(std::string_view text, FunctionMacros* defined);

// What the macro's body becomes with these arguments.
std::string Expanded(const FunctionMacro& macro, const std::vector<CodeTokens>& arguments);

// Behind the bracket that opens at `open`; the end where it does not close.
std::size_t BehindGroup(CodeTokens tokens, std::size_t open);
// At commas outside of brackets; what is empty has no parts.
std::vector<CodeTokens> Parts(CodeTokens tokens);

// The bound of a body without its braces, in words with a blank between:
//   *                   every type
//   t P N TYPE...       what the parameter P is of: one of N types; 0 is the object itself
//   c NAME N P...       that of the function, whose arguments are of the caller's parameters; -:
//   none & N BOUND...        all of them; | N BOUND...: one of them
//   !                   every type, since the code is too large to be followed
inline constexpr std::string_view kCutBound = "!";
std::string BoundOf(CodeTokens body, const std::vector<std::string>& parameters,
                    const FunctionMacros& macros, const ElementTypes& how);

}  // namespace opledger::scan
