// opledger-scan-ast: names that only evaluation reveals. In: the text of a translation unit with
// records in the places of registrations; out: what the name of each record comes to. Clang parses
// the text (parse.cpp), with a stub of the standard library; an interpreter follows what runs when
// a program with it starts (static_start.cpp).
// May include: registry/platform, registry/scan/preprocess, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
}

namespace opledger::scan::ast {

struct Errors {
  std::map<int, std::string> by_line;   // the first of each line of the text
  std::set<unsigned> places;            // offsets in the text
  std::vector<std::string> undeclared;  // names, in order, once each
  std::string first;                    // of all, with where it is written
  std::string fatal;                    // what made Clang give up; empty: nothing
};

// Calls `read` with the tree and what did not compile.
void Parse(const std::string& text,
           const std::function<void(clang::ASTContext&, const Errors&)>& read);

// Which records are met when a program with this translation unit starts, and what their names
// come to.
struct Names {
  std::set<std::string> values;
  std::string unknown;  // why some value is not known; empty: all are
  bool passed = false;  // what has it in it is followed to the end, so that no value is none
};

// Number of the record -> its names. Records that are met nowhere are missing.
// `included`: other files include it.
std::map<int, Names> FindNames(clang::ASTContext& context, const Errors& errors, bool included);

}  // namespace opledger::scan::ast
