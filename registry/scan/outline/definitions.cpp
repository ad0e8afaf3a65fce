// Finds definitions in raw tokens: the tokens before a name are its type, the token after it tells
// functions from constants. Bodies with an #if are left out because the branch that applies is not
// known.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "registry/scan/lex/raw_lexer.h"
#include "registry/scan/lex/token_text.h"
#include "registry/scan/outline/outline.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

std::string WithoutBlanks(std::string_view text) {
  std::string dense;
  for (char c : text) {
    if (c != ' ') dense.push_back(c);
  }
  return dense;
}

bool HoldsName(std::string_view text, const std::vector<std::string>& names) {
  return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
           return text.find(name) != std::string_view::npos;
         });
}

class DefinitionReader {
 public:
  DefinitionReader(std::string_view text, const Evaluation& how)
      : text_(text), names_(how.names), lexer_(text) {
    for (const std::string& type : how.definitions) types_.push_back(WithoutBlanks(type));
  }

  std::vector<Definition> Run();

 private:
  void Advance() {
    token_ = lexer_.Next();
    while (token_.Is(tok::hash) && token_.starts_line) {
      token_ = lexer_.Next();
      conditional_ |= token_.Is(tok::raw_identifier) && lexer_.Text(token_).starts_with("if");
      while (!token_.starts_line && !token_.Is(tok::eof)) token_ = lexer_.Next();
    }
  }
  bool Fits() const { return HoldsName(name_, names_) && TypeFits(); }
  bool TypeFits() const {
    return std::any_of(types_.begin(), types_.end(), [&](const std::string& type) {
      return head_.find(type) != std::string::npos;
    });
  }
  void Forget() {
    head_.clear();
    name_.clear();
  }
  void Function();
  void Constant();
  Offset SkipGroup();
  std::string Until(tok::TokenKind end);
  std::vector<Definition::Parameter> Parameters();

  std::string_view text_;
  const std::vector<std::string>& names_;
  RawLexer lexer_;
  std::vector<std::string> types_;
  RawToken token_;
  std::string head_;               // the statement up to name_, without spaces
  std::string name_;               // the last identifier of head_
  std::vector<bool> transparent_;  // for each open brace, whether it may contain definitions
  bool conditional_ = false;       // an #if was seen
  std::vector<Definition> found_;
};

// Skips from an opening bracket past its closing one. Returns the end of the closing bracket.
Offset DefinitionReader::SkipGroup() {
  int depth = 0;
  Offset end = 0;
  do {
    depth += OpensBracket(token_.kind);
    depth -= ClosesBracket(token_.kind);
    end = token_.end;
    Advance();
  } while (depth > 0 && !token_.Is(tok::eof));
  return end;
}

// Reads the text up to an `end` token at this depth, or up to the end of the enclosing list.
std::string DefinitionReader::Until(tok::TokenKind end) {
  Offset begin = token_.begin;
  Offset last = begin;
  while (!token_.Is(tok::eof) && !token_.Is(end) && !ClosesBracket(token_.kind)) {
    if (OpensBracket(token_.kind)) {
      last = SkipGroup();
    } else {
      last = token_.end;
      Advance();
    }
  }
  return std::string(text_.substr(begin, last - begin));
}

// Reads parameters up to the ')' that closes the '(' just read.
std::vector<Definition::Parameter> DefinitionReader::Parameters() {
  std::vector<Definition::Parameter> parameters;
  Definition::Parameter parameter;
  bool any = false;
  int angles = 0;
  for (; !token_.Is(tok::eof) && !token_.Is(tok::r_paren);) {
    any = true;
    angles += token_.Is(tok::less);
    angles -= token_.Is(tok::greater);
    if (token_.Is(tok::raw_identifier)) parameter.name = lexer_.Text(token_);
    if (token_.Is(tok::equal)) {
      Advance();
      parameter.value = Until(tok::comma);
      continue;
    }
    if (token_.Is(tok::comma) && angles <= 0) {
      parameters.push_back(std::move(parameter));
      parameter = {};
    }
    if (OpensBracket(token_.kind)) {
      SkipGroup();
    } else {
      Advance();
    }
  }
  if (any) parameters.push_back(std::move(parameter));
  return parameters;
}

// Called at the '(' after name_.
void DefinitionReader::Function() {
  Definition definition;
  definition.name = name_;
  definition.is_function = true;
  Advance();
  definition.parameters = Parameters();
  if (token_.Is(tok::r_paren)) Advance();
  while (token_.Is(tok::raw_identifier)) Advance();  // const, noexcept, override
  if (token_.Is(tok::l_brace)) {
    Offset begin = token_.end;
    conditional_ = false;
    Offset end = SkipGroup();
    definition.has_body = !conditional_;
    if (definition.has_body) definition.text = text_.substr(begin, end - 1 - begin);
  } else if (!token_.Is(tok::semi)) {
    return;  // an expression
  }
  found_.push_back(std::move(definition));
  Forget();
}

// Called at the '=' after name_.
void DefinitionReader::Constant() {
  Definition definition;
  definition.name = name_;
  Advance();
  definition.text = Until(tok::semi);
  definition.has_body = !definition.text.empty();
  found_.push_back(std::move(definition));
  Forget();
}

std::vector<Definition> DefinitionReader::Run() {
  for (Advance(); !token_.Is(tok::eof);) {
    bool outside = std::find(transparent_.begin(), transparent_.end(), false) == transparent_.end();
    bool named = outside && !name_.empty() && Fits();
    if (named && token_.Is(tok::l_paren)) {
      Function();
      continue;
    }
    if (named && token_.Is(tok::equal)) {
      Constant();
      continue;
    }
    if (token_.Is(tok::l_brace)) {
      bool opens = false;
      for (std::string_view word : {"namespace", "class", "struct", "extern"}) {
        opens = opens || head_.starts_with(word) || name_ == word;
      }
      transparent_.push_back(opens);
      Forget();
    } else if (token_.Is(tok::r_brace)) {
      if (!transparent_.empty()) transparent_.pop_back();
      Forget();
    } else if (token_.Is(tok::semi) || (token_.Is(tok::colon) && head_.empty())) {
      Forget();
    } else {
      if (!name_.empty()) head_ += name_;
      name_.clear();
      if (token_.Is(tok::raw_identifier)) {
        name_ = lexer_.Text(token_);
      } else {
        head_ += lexer_.Text(token_);
      }
    }
    Advance();
  }
  return std::move(found_);
}

}  // namespace

std::vector<Definition> FindDefinitions(std::string_view text, const Evaluation& how) {
  if (how.definitions.empty() || !HoldsName(text, how.names)) return {};
  return DefinitionReader(text, how).Run();
}

}  // namespace opledger::scan
