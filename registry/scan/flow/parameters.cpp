// Only integer parameters that are never changed have values that the analysis follows.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/flow/parameters.h"

namespace opledger::scan {
namespace {

// Types to which no string converts, unlike bool.
constexpr std::string_view kNumberTypes[] = {"int", "long", "short", "float", "double", "unsigned"};
constexpr std::string_view kFollowedTypes[] = {"int", "bool", "long", "auto"};

Parameter ReadParameter(const CodeView& view, TokenRange tokens, bool of_template) {
  Parameter read;
  read.of_template = of_template;
  int end = tokens.first;
  while (end < tokens.second && !view.Is(end, "=")) end = view.Next(end);
  if (end < tokens.second) read.value = {end + 1, tokens.second};
  int type = 0;  // tokens of the type besides const
  for (int i = tokens.first; i < end; ++i) {
    const std::string_view text = view.Text(i);
    if (text == "<") i = BehindAngles(view, i, end) - 1;
    read.many = read.many || text == "...";
    read.is_pointer = read.is_pointer || text == "*" || text == "[";
    type += text != "const";
  }
  const bool named = type == 2 && view.IsName(end - 1) && !read.is_pointer;
  const std::string_view of =
      view.Is(tokens.first, "const") ? view.Text(tokens.first + 1) : view.Text(tokens.first);
  read.is_number = !read.is_pointer && type <= 2 && IsIn(kNumberTypes, of);
  if (named && IsIn(kFollowedTypes, of)) read.name = view.Text(end - 1);
  return read;
}

}  // namespace

int BehindAngles(const CodeView& view, int open, int limit) {
  int depth = 0;
  for (int i = open; i < limit && !view.Is(i, ";") && !view.Is(i, "{"); i = view.Next(i)) {
    depth += view.Is(i, "<");
    depth -= view.Is(i, ">");
    depth -= view.Is(i, ">>") ? 2 : 0;
    if (depth <= 0) return i + 1;
  }
  return open + 1;
}

std::vector<TokenRange> ArgumentsAt(const CodeView& view, int open, bool types) {
  const bool angles = view.Is(open, "<");
  const int close = angles ? BehindAngles(view, open, view.size()) - 1 : view.Partner(open);
  std::vector<TokenRange> arguments;
  int begin = open + 1;
  for (int i = open + 1; i < close;) {
    if (view.Is(i, "<") && (angles || types)) {
      i = BehindAngles(view, i, close);
      continue;
    }
    if (view.Is(i, ",")) {
      arguments.emplace_back(begin, i);
      begin = i + 1;
    }
    i = view.Next(i);
  }
  if (begin < close) arguments.emplace_back(begin, close);
  return arguments;
}

std::vector<Parameter> ParametersOf(const CodeView& view, const Declaration& function) {
  std::vector<Parameter> all;
  if (view.Is(function.begin, "template") && view.Is(function.begin + 1, "<")) {
    for (const TokenRange& one : ArgumentsAt(view, function.begin + 1)) {
      all.push_back(ReadParameter(view, one, true));
    }
  }
  for (const TokenRange& one : ArgumentsAt(view, function.name + 1, true)) {
    all.push_back(ReadParameter(view, one, false));
  }
  for (Parameter& one : all) {
    if (!one.name.empty() &&
        MayChange(view, one.name, function.body, view.Partner(function.body))) {
      one.name = {};
    }
  }
  return all;
}

bool MayChange(const CodeView& view, std::string_view name, int begin, int end) {
  // The variable is only read in n == 1, !n, n ? 2 : 3.
  constexpr std::string_view kBehind[] = {"==", "!=", "<", ">", "<=", ">=", "&&",
                                          "||", "+",  "-", "/", "%",  "?"};
  constexpr std::string_view kBefore[] = {"==", "!=", "<", "<=", ">=", "||",
                                          "!",  "+",  "-", "/",  "%",  "return"};
  constexpr std::string_view kTests[] = {"if", "constexpr", "switch", "while"};
  for (int i = begin; i < end; ++i) {
    if (!view.Is(i, name)) continue;
    const std::string_view before = view.Text(i - 1);
    if (before == "&" || before == ">>" || (view.IsName(i - 1) && before != "return")) return true;
    const bool alone = before == "(" && view.Is(i + 1, ")") && IsIn(kTests, view.Text(i - 2));
    if (!alone && !IsIn(kBehind, view.Text(i + 1)) && !IsIn(kBefore, before)) return true;
  }
  return false;
}

}  // namespace opledger::scan
