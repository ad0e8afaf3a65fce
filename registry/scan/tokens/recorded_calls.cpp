// Finds calls in a statement that a record replaces, if their functions or classes lead to records
// themselves, as far as their names tell.
//   static int a = Register("x") + Help("y");  ->  Help("y")
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "registry/scan/lex/token_text.h"
#include "registry/scan/tokens/token_recorder.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;

bool Accesses(tok::TokenKind kind) {
  return kind == tok::period || kind == tok::arrow || kind == tok::coloncolon;
}

}  // namespace

// Returns the name of the function or class whose block begins at `brace`, or of the variable that
// a lambda initializes; "" for other blocks.
std::string_view TokenRecorder::NameOfBlock(std::size_t statement, std::size_t brace) const {
  std::string_view name;
  int angles = 0;  // in template <class T>
  for (std::size_t at = statement; at < brace; ++at) {
    const tok::TokenKind kind = tokens_[at].kind;
    const bool begins = kind == tok::less && at > 0 && tokens_[at - 1].kind == tok::kw_template;
    angles += begins || (angles > 0 && kind == tok::less);
    angles -= angles > 0 && kind == tok::greater;
    if (angles > 0) continue;
    if (kind == tok::kw_namespace || kind == tok::kw_if || kind == tok::kw_for ||
        kind == tok::kw_while || kind == tok::kw_switch) {
      return {};
    }
    if (kind == tok::kw_class || kind == tok::kw_struct) {
      while (at + 1 < brace && tokens_[at + 1].kind == tok::identifier) name = Spelling(++at);
      if (!name.empty()) return name;
    }
    if (kind == tok::identifier) name = Spelling(at);
    if (kind == tok::l_paren && name.empty()) at = std::min(ClosingBracket(tokens_, at), brace);
    const bool ends = kind == tok::l_paren || kind == tok::equal || kind == tok::l_square;
    if (ends && !name.empty()) return name;
  }
  return {};
}

// Finds the names of all functions and classes that contain a record or use one of these names.
void TokenRecorder::FindHelpers() {
  std::vector<bool> records(tokens_.size());
  bool any = false;
  for (const Use& use : uses_) {
    const bool counts = use.what == Use::What::kRecord || use.what == Use::What::kFunction;
    if (counts) records[use.token] = any = true;
  }
  for (std::size_t before = helpers_.size() + 1; any && before != helpers_.size();) {
    before = helpers_.size();
    std::vector<std::string_view> names{{}};  // by open bracket, plus the outermost level
    std::vector<std::size_t> statements{0};   // first token of the current statement, by level
    std::vector<bool> blocks{true};
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      const Token& token = tokens_[at];
      const bool leads = records[at] || (token.kind == tok::identifier && IsHelper(at));
      for (std::size_t i = 0; leads && i < names.size(); ++i) {
        if (!names[i].empty()) helpers_.emplace(names[i]);
      }
      if (OpensBracket(token.kind)) {
        const bool block = token.kind == tok::l_brace;
        const bool named = block && blocks.back();  // not a lambda among arguments
        names.push_back(named ? NameOfBlock(statements.back(), at) : std::string_view());
        statements.push_back(at + 1);
        blocks.push_back(block);
      } else if (ClosesBracket(token.kind) && names.size() > 1) {
        names.pop_back();
        statements.pop_back();
        blocks.pop_back();
      }
      // A member may be initialized by braces before the constructor's block.
      const tok::TokenKind next = at + 1 < tokens_.size() ? tokens_[at + 1].kind : tok::semi;
      const bool ends = token.kind == tok::semi ||
                        (token.kind == tok::r_brace && next != tok::comma && next != tok::l_brace);
      if (ends) statements.back() = at + 1;
    }
  }
}

// Returns the beginning of a qualified name.
std::size_t TokenRecorder::NameBegin(std::size_t name) const {
  std::size_t begin = name;
  while (begin > 0 && tokens_[begin - 1].kind == tok::coloncolon) {
    begin -= begin > 1 && tokens_[begin - 2].kind == tok::identifier ? 2 : 1;
  }
  return begin;
}

// Returns the beginning of the expression that ends with the name: own.list[1].Add
std::size_t TokenRecorder::ExpressionBegin(std::size_t name) const {
  std::size_t at = name;
  while (at > 0 && Accesses(tokens_[at - 1].kind)) {
    --at;
    while (at > 0 &&
           (tokens_[at - 1].kind == tok::r_paren || tokens_[at - 1].kind == tok::r_square)) {
      int depth = 0;
      do {
        --at;
        const tok::TokenKind kind = tokens_[at].kind;
        depth += ClosesBracket(kind);
        depth -= OpensBracket(kind);
      } while (at > 0 && depth > 0);
    }
    const tok::TokenKind before = at > 0 ? tokens_[at - 1].kind : tok::semi;
    if (before == tok::identifier || before == tok::kw_this) --at;
  }
  return at;
}

// Returns the first use at or after the token; uses_ is sorted.
std::vector<TokenRecorder::Use>::const_iterator TokenRecorder::FirstUse(std::size_t token) const {
  return std::lower_bound(uses_.begin(), uses_.end(), token,
                          [](const Use& use, std::size_t at) { return use.token < at; });
}

// Returns the use at the token; null if there is none.
const TokenRecorder::Use* TokenRecorder::UseAt(std::size_t token) const {
  const auto use = FirstUse(token);
  return use == uses_.end() || use->token != token ? nullptr : &*use;
}

// Returns the index after a call and the calls chained to it, up to one that registers.
std::size_t TokenRecorder::EndOfCalls(std::size_t open) const {
  std::size_t at = std::min(ClosingBracket(tokens_, open) + 1, tokens_.size());
  while (at + 2 < tokens_.size() &&
         (tokens_[at].kind == tok::period || tokens_[at].kind == tok::arrow) &&
         tokens_[at + 2].kind == tok::l_paren && UseAt(at + 1) == nullptr &&
         UseAt(at + 2) == nullptr) {
    at = std::min(ClosingBracket(tokens_, at + 2) + 1, tokens_.size());
  }
  return at;
}

// Returns the text of the tokens without the parts that register.
std::string TokenRecorder::TextOf(std::size_t begin, std::size_t end) const {
  std::string text;
  for (std::size_t at = begin; at < end; ++at) {
    const Use* use = UseAt(at);
    if (use == nullptr || use->what == Use::What::kNothing) {
      text += std::string(Spelling(at)) + " ";
      continue;
    }
    text += "__opledger_any{} ";
    at = std::min(ClosingBracket(tokens_, OpeningOf(*use)), end);
  }
  return text;
}

// Returns the calls of helpers between two tokens. A helper that is only named becomes a call that
// does not compile, so that its registrations count as unknown.
std::vector<std::string> TokenRecorder::HelperCalls(std::size_t begin, std::size_t end) const {
  std::vector<std::string> calls;
  for (std::size_t at = begin; at < end && !helpers_.empty(); ++at) {
    if (tokens_[at].kind != tok::identifier || !IsHelper(at) || at + 1 >= end) continue;
    if (UseAt(at) != nullptr || UseAt(at + 1) != nullptr) continue;  // the registration itself
    Use call;
    call.token = at;
    const std::size_t open = OpeningOf(call);
    const tok::TokenKind next = tokens_[std::min(open, end - 1)].kind;
    if (next == tok::l_paren || next == tok::l_brace) {
      const std::size_t after = EndOfCalls(open);
      calls.push_back(TextOf(std::max(begin, ExpressionBegin(at)), after));
      at = after - 1;
    } else if (next == tok::comma || next == tok::r_paren || next == tok::r_brace ||
               next == tok::semi || next == tok::colon) {
      calls.push_back("__opledger_not_followed(" + std::string(Spelling(at)) + ")");
    }
  }
  return calls;
}

}  // namespace opledger::scan
