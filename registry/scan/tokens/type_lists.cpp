// Searches the raw tokens once for "name =", "name {" and "name() {". Ignores scopes.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tokens/type_lists.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "clang/Basic/TokenKinds.h"
#include "registry/scan/lex/token_text.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

constexpr std::size_t kMaxTokensOfList = 2'000;  // of one definition
const std::string kTooLong = ";";                // stored for a definition with more tokens

// Returns the tokens up to the ';' that ends the statement; empty if it has no end. Returns nullopt
// if there are too many.
std::optional<TokenSpan> UpToSemicolon(TokenSpan tokens, std::size_t begin) {
  const std::size_t most = std::min(tokens.size(), begin + kMaxTokensOfList);
  for (std::size_t at = begin; at < most; ++at) {
    if (tokens[at].kind == tok::semi) return tokens.subspan(begin, at - begin);
    if (OpensBracket(tokens[at].kind)) at = ClosingBracket(tokens, at);
  }
  return most < tokens.size() ? std::nullopt : std::optional<TokenSpan>(std::in_place);
}

// Returns the value of the only `return` in a function's body.
std::optional<TokenSpan> Returned(TokenSpan body) {
  std::optional<TokenSpan> returned(std::in_place);
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (body[at].text != "return") continue;
    if (!returned || !returned->empty()) return TokenSpan();
    returned = UpToSemicolon(body, at + 1);
  }
  return returned;
}

std::string TextOf(const std::optional<TokenSpan>& tokens) {
  return tokens ? DenseText(*tokens) : kTooLong;
}

// Skips const and noexcept after a function's parameters.
std::size_t BodyBegin(TokenSpan tokens, std::size_t at) {
  while (at < tokens.size() && tokens[at].kind != tok::l_brace && tokens[at].kind != tok::semi &&
         (tokens[at].text == "const" || tokens[at].text == "noexcept")) {
    ++at;
  }
  return at;
}

}  // namespace

void TypeLists::Define(const std::string& what, std::string text) {
  const auto [known, fresh] = known_.try_emplace(what, text);
  if (!fresh && known->second != text) known->second.clear();
}

void TypeLists::Read() {
  read_ = true;
  const LexedText code(text_, Directives::kNone);  // both branches of an #if count
  const TokenSpan tokens(code.tokens);
  for (std::size_t at = 0; at + 2 < tokens.size(); ++at) {
    if (tokens[at].kind != tok::raw_identifier) continue;
    const std::string name(tokens[at].text);
    const std::size_t next = at + 1;
    if (tokens[next].kind == tok::equal) {
      Define(name, TextOf(UpToSemicolon(tokens, next + 1)));
    } else if (tokens[next].kind == tok::l_brace) {
      const TokenSpan whole = UpToSemicolon(tokens, next).value_or(TokenSpan());
      const bool list = !whole.empty() && whole.back().kind == tok::r_brace &&
                        ClosingBracket(whole, 0) + 1 == whole.size();
      const bool typed = at > 0 && (tokens[at - 1].kind == tok::greater ||
                                    tokens[at - 1].kind == tok::raw_identifier);
      if (list && typed) Define(name, DenseText(whole));
    } else if (tokens[next].kind == tok::l_paren) {
      const std::size_t close = ClosingBracket(tokens, next);
      if (close >= tokens.size()) continue;
      const TokenSpan inner = InsideBracket(tokens, next);
      for (const TypeListMacro& macro : dialect_.kernels.type_lists) {
        const std::vector<TokenSpan> arguments = SplitArguments(inner);
        const auto first = static_cast<std::size_t>(macro.dtypes);
        if (macro.defines != name || arguments.size() <= first) continue;
        std::string list;
        for (const TokenSpan& type : std::span(arguments).subspan(first)) {
          list += (list.empty() ? "" : ",") + DenseText(type);
        }
        std::string key;
        for (const TokenSpan& part : std::span(arguments).first(first)) {
          key += (key.empty() ? "" : ",") + DenseText(part);
        }
        Define(macro.use + "(" + key + ")", "{" + list + "}");
      }
      const std::size_t body = BodyBegin(tokens, close + 1);
      if (body < tokens.size() && tokens[body].kind == tok::l_brace) {
        const std::string returned = TextOf(Returned(InsideBracket(tokens, body)));
        if (!returned.empty()) Define(name + "()", returned);
      }
    }
  }
}

std::string_view TypeLists::Find(std::string_view what) {
  if (!read_) Read();
  const auto found = known_.find(what);
  if (found == known_.end()) return {};
  if (found->second == kTooLong) NoteCut();
  return found->second == kTooLong ? std::string_view() : found->second;
}

}  // namespace opledger::scan
