// Computes an upper bound of the element types that a function can run in: the types of the macros
// that it always reaches and that choose code by type.
//   { AT_DISPATCH_FLOATING_TYPES(iter.dtype(), "erf", [&] { ... }); }  ->  t 1 2 float32 float64
// The bound is never too small: code that is not understood allows every type.
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

// The function-like macros of a file, by name; a name may have several definitions.
using FunctionMacros = std::multimap<std::string_view, const MacroDefinition*>;

// Returns the index at which the function name that ends before `end` begins:
// ns::Class<T>::name<U>. Returns `end` if there is no name.
std::size_t BeginOfName(TokenSpan tokens, std::size_t end);

// Returns the index after the template arguments at `at`; `at` if there are none.
std::size_t BehindTemplateArguments(TokenSpan tokens, std::size_t at);

// Returns the name without template arguments, and with the last qualifier only: "Class::name".
std::string FunctionName(TokenSpan tokens);

// Returns the macro's body with its parameters replaced by these arguments.
std::string Expanded(const MacroDefinition& macro, const std::vector<TokenSpan>& arguments);

// Returns the bound of a body without its braces. In the body, one token stands for each
// conditional directive. A bound is a sequence of words separated by spaces:
//   *               every type
//   t P N TYPE...   parameter P has one of N types. P is 0 for the object itself, and r3 for the
//                   third parameter if results are written to it.
//   c NAME N P...   the bound of the function (or Class::function), called with N arguments that
//                   have the types of the caller's parameters P; - for none of them
//   & N BOUND...    all of the N bounds
//   | N BOUND...    one of the N bounds
//   !               every type, because the code is too large to be followed
inline constexpr std::string_view kCutBound = "!";
inline constexpr char kResult = 'r';
std::string BoundOf(TokenSpan body, const std::vector<KernelParameter>& parameters,
                    const FunctionMacros& macros, const ElementTypes& how);

}  // namespace opledger::scan
