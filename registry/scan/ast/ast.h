// opledger-scan-ast finds operator names that take evaluation to know. Input: the preprocessed text
// of a translation unit with record calls in place of registrations. Output: the names of each
// record. Clang parses the text against a stub of the standard library (parse.cpp). An interpreter
// then follows the code that runs when a program that contains the unit starts (static_start.cpp).
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
  std::map<int, std::string> by_line;   // first error of each line of the text
  std::set<unsigned> places;            // offsets in the text
  std::vector<std::string> undeclared;  // names, in order of first use, without duplicates
  std::string first;                    // the first error, with its position
  std::string fatal;  // the fatal error that stopped Clang; empty if there was none
};

// Parses `text` and calls `read` with the syntax tree and the errors.
void Parse(const std::string& text,
           const std::function<void(clang::ASTContext&, const Errors&)>& read);

// The names that one record receives when a program that contains the translation unit starts.
struct Names {
  std::set<std::string> values;
  std::string unknown;  // why some value is not known; empty if all are known
  bool passed = false;  // the code around it was followed to its end, so no values means no names
};

// Maps the number of each record to its names. Records that are never reached are missing.
// `included`: other files include the unit.
std::map<int, Names> FindNames(clang::ASTContext& context, const Errors& errors, bool included);

}  // namespace opledger::scan::ast
