// Tells how a variable is used where it is named: a method is called, another name is bound to it,
// or it is passed to a function.
//   m.def("a");  (*m).def("b");  auto& l = m;  AddMore(m);  [&](auto& l) {...}(m);  [&m] {...}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/scan/tokens/tokens.h"

namespace opledger::scan {

struct VariableUse {
  enum class Form {
    kMethod,    // '.' or "->" follows `parentheses`
    kBinds,     // `other` becomes a name for it
    kArgument,  // argument `argument` of `other`, or of the lambda whose '{' is at `body`
    kElement,   // '=' or '[' follows
    kType,      // its type is used: decltype(m)
    kDeclares,  // declares another variable of this name
    kNothing,   // a member of this name, or a capture
    kOther
  };
  Form what = Form::kOther;
  int parentheses = 0;
  const clang::IdentifierInfo* other = nullptr;
  bool in_capture = false;
  TokenStream::Index body = TokenStream::kNone;
  int argument = 0;
};

// Classifies the use of the variable that the current token names.
VariableUse FormOfUse(const TokenStream& tokens);

// Returns the index of the argument or parameter that contains the token at `at`, in the bracket
// that opens at `open`.
int ArgumentIndex(const TokenStream& tokens, TokenStream::Index open, TokenStream::Index at);

}  // namespace opledger::scan
