// Quotes Python tests as atoms; see python_test.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/python_test.h"

namespace opledger {
namespace {

constexpr std::string_view kBegin = "python(\"";
constexpr std::string_view kEnd = "\")";

}  // namespace

std::string PythonTestAtom(std::string_view text) {
  std::string name(kBegin);
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (c == '"' || c == '\\') {
      name += '\'';
    } else if (!blank) {
      name += c;
    } else if (name.back() != ' ') {
      name += ' ';
    }
  }
  return name.append(kEnd);
}

std::string PythonTestText(std::string_view atom) {
  if (!atom.starts_with(kBegin) || !atom.ends_with(kEnd)) return {};
  return std::string(atom.substr(kBegin.size(), atom.size() - kBegin.size() - kEnd.size()));
}

}  // namespace opledger
