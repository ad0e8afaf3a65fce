// The outline has the definitions, each as it is written.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/find_macro_lists.h"

#include <algorithm>
#include <optional>
#include <string>

#include "clang/Basic/TokenKinds.h"
#include "registry/scan/lex/raw_lexer.h"
#include "registry/scan/lex/token_text.h"
#include "registry/scan/outline/outline.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

struct MacroToken {
  tok::TokenKind kind;
  std::string text;
  Offset begin;
  Offset end;

  bool IsName() const { return kind == tok::raw_identifier; }
};

// The tokens of a macro's text; places are in the file.
std::vector<MacroToken> TokensOf(const MacroDefinition& macro) {
  std::vector<MacroToken> tokens;
  RawLexer lexer(macro.text);
  for (RawToken raw = lexer.Next(); !raw.Is(tok::eof); raw = lexer.Next()) {
    tokens.push_back(
        {raw.kind, std::string(lexer.Text(raw)), macro.offset + raw.begin, macro.offset + raw.end});
  }
  return tokens;
}

std::size_t ClosingOf(const std::vector<MacroToken>& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].kind == tok::l_paren) ++depth;
    if (tokens[i].kind == tok::r_paren && --depth == 0) return i;
  }
  return tokens.size();
}

using Arguments = std::vector<std::vector<MacroToken>>;

Arguments ArgumentsOf(const std::vector<MacroToken>& tokens, std::size_t open, std::size_t close) {
  Arguments arguments(1);
  int depth = 0;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (tokens[i].kind == tok::l_paren) ++depth;
    if (tokens[i].kind == tok::r_paren) --depth;
    if (tokens[i].kind == tok::comma && depth == 0) {
      arguments.emplace_back();
    } else {
      arguments.back().push_back(tokens[i]);
    }
  }
  return arguments;
}

std::optional<std::string> StringOf(const std::vector<MacroToken>& argument) {
  std::vector<TextToken> literals;
  for (const MacroToken& token : argument) {
    if (!tok::isStringLiteral(token.kind)) return std::nullopt;
    literals.push_back({token.kind, token.text, {}});
  }
  return literals.empty() ? std::nullopt : StringValue(literals);
}

CppString ElementAt(std::string text, const std::vector<MacroToken>& argument) {
  return {std::move(text), argument.size() > 1 && tok::isStringLiteral(argument[1].kind),
          argument.front().begin, argument.back().end, ""};
}

// _(NS(norm), "norm.Scalar", ...): the string; without one, what NS wraps.
std::optional<CppString> WrappedRow(const Arguments& arguments) {
  for (const auto& argument : arguments) {
    if (auto text = StringOf(argument)) return ElementAt(std::move(*text), argument);
  }
  const std::vector<MacroToken>& first = arguments.front();
  const bool wraps =
      first.size() == 4 && first[0].IsName() && first[1].kind == tok::l_paren && first[2].IsName();
  if (!wraps) return std::nullopt;
  return ElementAt(first[2].text, {first[2]});
}

// nullopt: no name can be read.
std::optional<CppString> RowOf(const Arguments& arguments) {
  std::string name;
  for (const auto& argument : arguments) {
    std::optional<std::string> part = StringOf(argument);
    if (!part && argument.size() == 1 && argument.front().IsName()) part = argument.front().text;
    if (!part) return WrappedRow(arguments);
    name += (name.empty() ? "" : ".") + *part;
  }
  return ElementAt(std::move(name), arguments.front());
}

// The rows of one definition; nullopt: it is no list.
std::optional<CppList> ListOf(const MacroDefinition& macro) {
  const std::vector<MacroToken> tokens = TokensOf(macro);
  const bool is_function =
      tokens.size() > 2 && tokens[1].kind == tok::l_paren && tokens[1].begin == tokens[0].end;
  if (macro.undefines || !is_function) return std::nullopt;
  const std::size_t end = ClosingOf(tokens, 1);
  CppList list;
  list.name = macro.name;
  list.begin = tokens[0].begin;
  list.end = tokens[0].end;
  for (std::size_t i = end + 1; i < tokens.size();) {
    const bool is_parameter =
        tokens[i].IsName() &&
        std::any_of(tokens.begin() + 2, tokens.begin() + static_cast<std::ptrdiff_t>(end),
                    [&](const MacroToken& parameter) { return parameter.text == tokens[i].text; });
    const bool is_call =
        is_parameter && i + 1 < tokens.size() && tokens[i + 1].kind == tok::l_paren;
    if (!is_call) {
      if (list.strings.empty() && list.removed.empty()) return std::nullopt;  // it is no list
      list.removed.push_back(tokens[i++].begin);
      continue;
    }
    const std::size_t close = ClosingOf(tokens, i + 1);
    std::optional<CppString> row = RowOf(ArgumentsOf(tokens, i + 1, close));
    if (row) {
      list.strings.push_back(std::move(*row));
    } else {
      list.removed.push_back(tokens[i].begin);
    }
    i = close + 1;
    while (i < tokens.size() && (tokens[i].kind == tok::semi || tokens[i].kind == tok::comma)) ++i;
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
    // Defined again: under another #if both count; else which one does is not known.
    if (condition.empty()) known->removed.push_back(list->begin);
    std::move(list->strings.begin(), list->strings.end(), std::back_inserter(known->strings));
    known->removed.insert(known->removed.end(), list->removed.begin(), list->removed.end());
  }
  return lists;
}

}  // namespace opledger::scan
