// Which element types a function can run in at most, by its statements: the types of the macros
// that it always comes to and that choose code by type.
//   { AT_DISPATCH_FLOATING_TYPES(iter.dtype(), "erf", [&] { ... }); }  ->  t 1 2 float32 float64
// An upper bound, never too small: what is not understood allows every type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/lex/token_text.h"
#include "registry/scan/outline/kernel_values.h"
#include "registry/scan/outline/outline.h"

namespace opledger::scan {

// The function-like macros of a file, by name as often as they are defined.
using FunctionMacros = std::multimap<std::string_view, const MacroDefinition*>;

// Where the name of a function begins that ends before `end`: ns::Class<T>::name<U>; `end` if there
// is none.
std::size_t BeginOfName(TokenSpan tokens, std::size_t end);

// Behind the template arguments that begin at `at`; `at` if none do.
std::size_t BehindTemplateArguments(TokenSpan tokens, std::size_t at);

// A name without template arguments and all namespaces but the last: "Class::name".
std::string FunctionName(TokenSpan tokens);

// What the macro's body becomes with these arguments.
std::string Expanded(const MacroDefinition& macro, const std::vector<TokenSpan>& arguments);

// The bound of a body without its braces, where one token stands for each conditional directive, in
// words with a blank between:
//   *                   every type
//   t P N TYPE...       what the parameter P is of: one of N types; 0 is the object itself, r3 the
//                       third if results are written to it
//   c NAME N P...       that of the function (or Class::function), whose arguments are of the
//                       caller's parameters; -:
//   none & N BOUND...        all of them; | N BOUND...: one of them
//   !                   every type, since the code is too large to be followed
inline constexpr std::string_view kCutBound = "!";
inline constexpr char kResult = 'r';
std::string BoundOf(TokenSpan body, const std::vector<KernelParameter>& parameters,
                    const FunctionMacros& macros, const ElementTypes& how);

}  // namespace opledger::scan
