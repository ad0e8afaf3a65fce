// Reads the macro definitions of the outline.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/find_macro_lists.h"

#include <algorithm>
#include <optional>
#include <string>

#include "clang/Basic/TokenKinds.h"
#include "registry/scan/lex/token_text.h"
#include "registry/scan/outline/outline.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

using Arguments = std::vector<TokenSpan>;

CppString ElementAt(std::string text, TokenSpan argument) {
  return {std::move(text), argument.size() > 1 && tok::isStringLiteral(argument[1].kind),
          argument.front().begin, argument.back().end, ""};
}

// For _(NS(norm), "norm.Scalar", ...): returns the string or, if there is none, the argument of NS.
std::optional<CppString> WrappedRow(const Arguments& arguments) {
  for (TokenSpan argument : arguments) {
    if (auto text = StringValue(argument)) return ElementAt(std::move(*text), argument);
  }
  const TokenSpan first = ArgumentAt(arguments, 0);
  const bool wraps =
      first.size() == 4 && first[0].IsName() && first[1].Is(tok::l_paren) && first[2].IsName();
  if (!wraps) return std::nullopt;
  return ElementAt(std::string(first[2].text), first.subspan(2, 1));
}

// Returns nullopt if no name can be read.
std::optional<CppString> RowOf(const Arguments& arguments) {
  if (arguments.empty()) return std::nullopt;
  std::string name;
  for (TokenSpan argument : arguments) {
    std::optional<std::string> part = StringValue(argument);
    if (!part && argument.size() == 1 && argument.front().IsName()) part = argument.front().text;
    if (!part) return WrappedRow(arguments);
    name += (name.empty() ? "" : ".") + *part;
  }
  return ElementAt(std::move(name), arguments.front());
}

// Returns the rows of a definition; nullopt if it is not a list.
std::optional<CppList> ListOf(const MacroDefinition& macro) {
  LexedText definition(macro.text);
  for (TextToken& token : definition.tokens) {  // make offsets relative to the file
    token.begin += macro.offset;
    token.end += macro.offset;
  }
  const MacroParts parts = PartsOfMacro(definition.tokens);
  if (macro.undefines || !parts.function_like) return std::nullopt;
  CppList list;
  list.name = macro.name;
  list.begin = definition.tokens[0].begin;
  list.end = definition.tokens[0].end;
  const TokenSpan body = parts.body;
  for (std::size_t i = 0; i < body.size();) {
    const bool is_parameter = std::find(parts.parameters.begin(), parts.parameters.end(),
                                        body[i].text) != parts.parameters.end();
    const bool is_call = is_parameter && i + 1 < body.size() && body[i + 1].Is(tok::l_paren);
    if (!is_call) {
      if (list.strings.empty() && list.removed.empty()) return std::nullopt;  // not a list
      list.removed.push_back(body[i++].begin);
      continue;
    }
    std::optional<CppString> row = RowOf(SplitArguments(InsideBracket(body, i + 1)));
    if (row) {
      list.strings.push_back(std::move(*row));
    } else {
      list.removed.push_back(body[i].begin);
    }
    i = BehindBracket(body, i + 1);
    while (i < body.size() && (body[i].Is(tok::semi) || body[i].Is(tok::comma))) ++i;
  }
  return list;
}

}  // namespace

std::vector<CppList> FindMacroLists(std::string_view text) {
  const Dialect plain;
  const Outline outline = MakeOutline(text, plain);
  std::vector<CppList> lists;
  for (const MacroDefinition& macro : outline.macros) {
    std::optional<CppList> list = ListOf(macro);
    if (!list) continue;
    const std::string condition =
        macro.branch == kNoBranch ? "" : outline.StackCondition(macro.branch).text();
    for (CppString& string : list->strings) string.condition = condition;
    const auto known = std::find_if(lists.begin(), lists.end(),
                                    [&](const CppList& other) { return other.name == list->name; });
    if (known == lists.end()) {
      lists.push_back(std::move(*list));
      continue;
    }
    // Under different #ifs both definitions count; otherwise it is not known which one does.
    if (condition.empty()) known->removed.push_back(list->begin);
    std::move(list->strings.begin(), list->strings.end(), std::back_inserter(known->strings));
    known->removed.insert(known->removed.end(), list->removed.begin(), list->removed.end());
  }
  return lists;
}

}  // namespace opledger::scan
