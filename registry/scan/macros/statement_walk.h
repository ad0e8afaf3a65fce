// Finds the statements of a file that may register, before preprocessing: from a leading macro to
// the ';' that ends the statement, in all branches of an #if. After the name of a class that
// registers, or of a function that is assigned to a variable, any text may register, because
// aliases and elements of containers are not followed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "registry/scan/macros/macros.h"

namespace opledger::scan {

// A conditional among the arguments of a call.
struct Split {
  int first = 0;    // first of its branches
  Offset call = 0;  // distinguishes the calls of one statement
};

struct Statement {
  Offset begin = 0;     // of the leading macro
  NameSet identifiers;  // of all its branches, without those in braces
  // Innermost branches with some of its tokens, which may include kNoBranch.
  std::set<int> branches;
  std::vector<Split> splits;  // among the arguments of its calls
};

struct Statements {
  std::vector<Statement> all;
  // Branches of conditionals that contain a statement, are inside one, or have code that may
  // register.
  std::vector<int> branches;
  // Text between directives that does not name a leading macro and is not enclosed in code that
  // does. Empty if brackets do not match.
  std::vector<Range> idle;
  // A leading macro is named where code may skip it: in the body of a function or class, in
  // brackets, or after an operator such as &&.
  bool in_code = false;
  std::vector<Offset> includes;  // #include directives in a block that a statement opens
};

// Finds the statements that begin with a macro in `leading`. If a block follows the macro, the
// statements in the block count too, unless `plain` contains the macro. If `plain` is nullopt, no
// blocks count. `classes`: classes that register. `any`: all text may register.
Statements WalkStatements(std::string_view text, const Outline& outline, const NameSet& leading,
                          const std::optional<NameSet>& plain = std::nullopt,
                          const NameSet& classes = {}, bool any = false);

// Returns the sinks of the dialect that do not open a block, or nullopt if no sink opens one.
std::optional<NameSet> PlainSinks(const Dialect& dialect);

// Returns the sinks of the dialect that are classes.
NameSet ClassSinks(const Dialect& dialect);

}  // namespace opledger::scan
