// By brackets alone: what stands between a ';' or '}' of a namespace and the next is a declaration.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit/declared_under.h"

#include <algorithm>
#include <functional>

#include "registry/scan/lex/raw_lexer.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

struct Declaration {
  Range place;
  NameSet names;      // all identifiers
  NameSet declared;   // those outside of brackets
  std::string first;  // word
};

class DeclarationReader {
 public:
  explicit DeclarationReader(std::string_view text) : lexer_(text) {}

  // False: there is no further one.
  bool Next(Declaration& declaration);

 private:
  void SkipDirective();

  RawLexer lexer_;
  RawToken token_;
  bool begun_ = false;
};

void DeclarationReader::SkipDirective() {
  do lexer_.Next(token_);
  while (!token_.starts_line && !token_.Is(tok::eof));
}

bool DeclarationReader::Next(Declaration& declaration) {
  declaration = {};
  if (!begun_) lexer_.Next(token_);
  begun_ = true;
  int depth = 0;
  bool any = false;
  bool space = false;  // a namespace, or extern "C": its braces hold declarations
  bool ended = false;
  while (!token_.Is(tok::eof) && !ended) {
    if (token_.Is(tok::hash) && token_.starts_line) {
      SkipDirective();
      continue;
    }
    const std::string_view text = lexer_.Text(token_);
    const bool word = token_.Is(tok::raw_identifier);
    if (!any) {
      declaration.place.begin = token_.begin;
      declaration.first = word ? std::string(text) : std::string();
    }
    any = true;
    declaration.place.end = token_.end;
    if (word) declaration.names.emplace(text);
    if (word && depth == 0) declaration.declared.emplace(text);
    space = space || (word && depth == 0 && (text == "namespace" || text == "extern"));
    const bool opens =
        token_.Is(tok::l_brace) || token_.Is(tok::l_paren) || token_.Is(tok::l_square);
    const bool closes =
        token_.Is(tok::r_brace) || token_.Is(tok::r_paren) || token_.Is(tok::r_square);
    if (opens && space && token_.Is(tok::l_brace) && depth == 0) {
      ended = true;
    } else {
      depth += opens;
      depth -= closes && depth > 0;
      ended = depth == 0 && (token_.Is(tok::semi) || token_.Is(tok::r_brace));
    }
    lexer_.Next(token_);
  }
  return any;
}

bool IsType(const Declaration& declaration) {
  for (std::string_view word : {"class", "struct", "enum", "union", "using", "typedef"}) {
    if (declaration.first == word) return true;
  }
  return false;
}

}  // namespace

NameSet NamesUsedAt(std::string_view text, const std::vector<Offset>& places) {
  std::vector<Declaration> left;
  DeclarationReader reader(text);
  for (Declaration one; reader.Next(one);) left.push_back(std::move(one));
  NameSet names;
  const auto is_used = [&](const Declaration& one) {
    return std::any_of(places.begin(), places.end(),
                       [&](Offset at) { return at >= one.place.begin && at < one.place.end; }) ||
           std::any_of(one.declared.begin(), one.declared.end(),
                       [&](const std::string& name) { return names.contains(name); });
  };
  for (bool more = true; more;) {
    const auto used = std::partition(left.begin(), left.end(), std::not_fn(is_used));
    more = used != left.end();
    for (auto one = used; one != left.end(); ++one) names.merge(one->names);
    left.erase(used, left.end());
  }
  return names;
}

std::vector<int> BranchesOfDeclarations(std::string_view text, const Outline& outline,
                                        const NameSet& names) {
  std::vector<int> found;
  DeclarationReader reader(text);
  Declaration declaration;
  while (reader.Next(declaration)) {
    const bool wanted = !IsType(declaration) &&
                        std::any_of(declaration.declared.begin(), declaration.declared.end(),
                                    [&](const std::string& name) { return names.contains(name); });
    if (!wanted) continue;
    for (int branch = outline.BranchAt(declaration.place.begin); branch != kNoBranch;
         branch = outline.branches[branch].parent) {
      if (!outline.branches[branch].guard) found.push_back(branch);
    }
    for (int branch = 0; branch < static_cast<int>(outline.branches.size()); ++branch) {
      const Offset at = outline.branches[branch].directive;
      const bool inside = at > declaration.place.begin && at < declaration.place.end;
      if (inside && !outline.branches[branch].guard) found.push_back(branch);
    }
  }
  return found;
}

}  // namespace opledger::scan
