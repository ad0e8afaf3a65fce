// Finds the parameters of functions and templates whose values may decide what a call runs.
//   template <bool kGrad> static int Add(int n, const char* name)  ->  kGrad, n
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "registry/scan/flow/code_view.h"
#include "registry/scan/flow/declarations.h"

namespace opledger::scan {

// Tokens from the first up to but excluding the second.
using TokenRange = std::pair<int, int>;

struct Parameter {
  std::string_view name;  // empty if its value does not matter or may change
  bool of_template = false;
  bool is_number = false;  // of a type such as int
  bool is_pointer = false;
  bool many = false;  // a pack or ...
  TokenRange value;   // of its default; empty if there is none
};

// Returns the parameters, those of the template first.
std::vector<Parameter> ParametersOf(const CodeView& view, const Declaration& function);

// Returns the arguments between brackets, or template arguments if `open` is '<'. `types`: they are
// parameters, so '<' opens template arguments.
std::vector<TokenRange> ArgumentsAt(const CodeView& view, int open, bool types = false);

// Returns the token after the '>' that matches the '<' at `open`, or open + 1 if there is none.
int BehindAngles(const CodeView& view, int open, int limit);

// Returns whether the tokens may change the variable, or declare another of the same name.
bool MayChange(const CodeView& view, std::string_view name, int begin, int end);

}  // namespace opledger::scan
