// What is done with a variable where it is named: a method called, another name given to it, or
// handed to a function.
//   m.def("a");  (*m).def("b");  auto& l = m;  AddMore(m);  [&](auto& l) {...}(m);  [&m] {...}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/scan/tokens/tokens.h"

namespace opledger::scan {

struct VariableUse {
  enum class Form {
    kMethod,    // behind `parentheses` stands '.' or "->"
    kBinds,     // `other` is a name for it from now on
    kArgument,  // number `argument` of what `other` names, or of the lambda whose '{' is at `body`
    kElement,   // what stands behind is '=' or '['
    kType,      // its type is asked for: decltype(m)
    kDeclares,  // another variable of this name
    kNothing,   // another's member of this name, a capture
    kOther
  };
  Form what = Form::kOther;
  int parentheses = 0;
  const clang::IdentifierInfo* other = nullptr;
  bool in_capture = false;
  TokenStream::Index body = TokenStream::kNone;
  int argument = 0;
};

// Of the variable that the current token names.
VariableUse FormOfUse(const TokenStream& tokens);

// Which argument or parameter the token at `at` is in, of those in the bracket that opens at
// `open`.
int ArgumentIndex(const TokenStream& tokens, TokenStream::Index open, TokenStream::Index at);

}  // namespace opledger::scan
