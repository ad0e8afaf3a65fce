// Finds the statements of a file that may register, before any preprocessing: from a leading macro
// to the ';' that ends the statement, both sides of every #if. Behind a class that registers, or a
// function of which a variable is made, any text may come to do so: by an alias, an element.
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
  int first = 0;    // of its branches
  Offset call = 0;  // what tells the calls of one statement apart
};

struct Statement {
  Offset begin = 0;           // of the leading macro
  NameSet identifiers;        // of all its branches, those inside braces left out
  std::set<int> branches;     // innermost ones that hold some of its tokens; kNoBranch among them
  std::vector<Split> splits;  // among the arguments of its calls
};

struct Statements {
  std::vector<Statement> all;
  // Conditionals that hold a statement, or stand inside one, or hold what may register.
  std::vector<int> branches;
  // Text between the directives in which, and in what it is part of, no leading macro is named.
  // None where brackets do not match.
  std::vector<Range> idle;
  // Whether a leading macro is named where code may skip it: in the body of a function or class, in
  // brackets, or behind an operator like &&.
  bool in_code = false;
  std::vector<Offset> includes;  // #include directives in the block that a statement opens
};

// Where a leading macro is followed by a block, the block's statements count too, unless `plain`
// holds the macro; without `plain` no block counts.
// `classes` are those that register; `any`: all text may.
Statements WalkStatements(std::string_view text, const Outline& outline, const NameSet& leading,
                          const std::optional<NameSet>& plain = std::nullopt,
                          const NameSet& classes = {}, bool any = false);

// The sinks of the dialect that open no block; none where it has no other.
std::optional<NameSet> PlainSinks(const Dialect& dialect);

// The sinks of the dialect that are classes.
NameSet ClassSinks(const Dialect& dialect);

}  // namespace opledger::scan
