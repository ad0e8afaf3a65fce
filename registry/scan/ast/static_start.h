// Which records are met when a program with this translation unit starts, and what their names
// come to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "registry/scan/ast/parse.h"

namespace opledger::scan::ast {

struct Names {
  std::set<std::string> values;
  std::string unknown;  // why some value is not known; empty: all are
};

// Number of the record -> its names. Records that are met nowhere are missing.
std::map<int, Names> FindNames(clang::ASTContext& context);

}  // namespace opledger::scan::ast
