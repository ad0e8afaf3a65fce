// Finds the statements of a file that may register, before any preprocessing: from a leading macro
// to the ';' that ends the statement, both sides of every #if.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "registry/scan/macros/macros.h"

namespace opledger::scan {

struct Statement {
  Offset begin = 0;        // of the leading macro
  NameSet identifiers;     // of all its branches, those inside braces left out
  std::set<int> branches;  // innermost ones that hold some of its tokens; kNoBranch among them
};

struct Statements {
  std::vector<Statement> all;
  std::vector<int> branches;  // conditionals that hold a statement, or stand inside one
  // Text between the directives in which, and in what it is part of, no leading macro is named.
  // None where brackets do not match.
  std::vector<Range> idle;
};

// Where a leading macro is followed by a block, the block's statements count too, unless `plain`
// holds the macro; without `plain` no block counts.
Statements WalkStatements(std::string_view text, const Outline& outline, const NameSet& leading,
                          const std::optional<NameSet>& plain = std::nullopt);

// The sinks of the dialect that open no block; none where it has no other.
std::optional<NameSet> PlainSinks(const Dialect& dialect);

}  // namespace opledger::scan
