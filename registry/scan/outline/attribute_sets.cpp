// Attribute sets by raw tokens: a set is a macro call and the braces behind it; its fields are
// macro calls inside, each with a chain of methods up to ';'.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "registry/scan/lex/raw_lexer.h"
#include "registry/scan/outline/outline.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

class SetReader {
 public:
  SetReader(std::string_view text, const AttributeSets& how) : lexer_(text), how_(how) {}

  // `last`: where the last set's name ends, at the latest.
  std::vector<AttributeSet> Run(Offset last) {
    while (!token_.Is(tok::eof) && token_.end < last) {
      Advance();
      if (IsCall(how_.declare)) ReadSet();
    }
    return std::move(sets_);
  }

 private:
  void Advance() {
    lexer_.Next(token_);
    while (token_.Is(tok::hash) && token_.starts_line) {
      do {
        lexer_.Next(token_);
      } while (!token_.starts_line && !token_.Is(tok::eof));
    }
  }

  bool IsCall(const std::string& macro) {
    return token_.Is(tok::raw_identifier) && lexer_.Text(token_) == macro;
  }

  // "(name" behind a macro: the name; empty if there is none.
  std::string Argument() {
    Advance();
    if (!token_.Is(tok::l_paren)) return {};
    Advance();
    return token_.Is(tok::raw_identifier) ? std::string(lexer_.Text(token_)) : std::string();
  }

  void ReadSet() {
    AttributeSet set;
    set.name = Argument();
    while (!token_.Is(tok::eof) && !token_.Is(tok::l_brace) && !token_.Is(tok::semi)) Advance();
    if (set.name.empty() || !token_.Is(tok::l_brace)) return;
    int depth = 1;
    while (depth > 0 && !token_.Is(tok::eof)) {
      Advance();
      depth += token_.Is(tok::l_brace);
      depth -= token_.Is(tok::r_brace);
      if (IsCall(how_.field)) ReadAttribute(set);
    }
    sets_.push_back(std::move(set));
  }

  void ReadAttribute(AttributeSet& set) {
    AttributeSet::Attribute attribute;
    attribute.name = Argument();
    int depth = 0;
    while (!token_.Is(tok::eof) && !(token_.Is(tok::semi) && depth <= 0)) {
      depth += token_.Is(tok::l_brace);
      depth -= token_.Is(tok::r_brace);
      if (depth < 0) break;
      if (!how_.value.empty() && IsCall(how_.value)) {
        Advance();
        if (token_.Is(tok::l_paren)) Advance();
        if (token_.Is(tok::string_literal)) {
          std::string_view quoted = lexer_.Text(token_);
          attribute.values.emplace_back(quoted.substr(1, quoted.size() - 2));
        }
        continue;
      }
      Advance();
    }
    if (attribute.name.empty()) return;
    std::sort(attribute.values.begin(), attribute.values.end());
    auto& values = attribute.values;
    values.erase(std::unique(values.begin(), values.end()), values.end());
    set.attributes.push_back(std::move(attribute));
  }

  RawLexer lexer_;
  const AttributeSets& how_;
  RawToken token_{.kind = tok::semi};
  std::vector<AttributeSet> sets_;
};

}  // namespace

std::vector<AttributeSet> FindAttributeSets(std::string_view text, Range names,
                                            const AttributeSets& how) {
  return SetReader(text.substr(names.begin), how).Run(names.end - names.begin);
}

}  // namespace opledger::scan
