// The parameters of functions and templates whose values decide what a call runs.
//   template <bool kGrad> static int Add(int n, const char* name)  ->  kGrad, n
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "registry/scan/flow/code_view.h"
#include "registry/scan/flow/declarations.h"

namespace opledger::scan {

// Tokens from the first up to the second.
using TokenRange = std::pair<int, int>;

struct Parameter {
  std::string_view name;  // empty: its value does not matter, or may change
  bool of_template = false;
  bool is_number = false;  // of a type like int
  bool is_pointer = false;
  bool many = false;  // a pack, or ...
  TokenRange value;   // of its default; empty: none
};

// First those of the template, if it is one.
std::vector<Parameter> ParametersOf(const CodeView& view, const Declaration& function);

// The arguments between the brackets, template arguments if `open` is '<'. `types`: they are
// parameters, in which '<' opens template arguments.
std::vector<TokenRange> ArgumentsAt(const CodeView& view, int open, bool types = false);

// Behind the '>' of template arguments whose '<' is at `open`; open + 1: they have no end.
int BehindAngles(const CodeView& view, int open, int limit);

// Whether the tokens may change the variable, or declare another one of its name.
bool MayChange(const CodeView& view, std::string_view name, int begin, int end);

}  // namespace opledger::scan
