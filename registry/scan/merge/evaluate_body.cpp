// Statements in order: declarations and assignments, what is appended to lists, ifs whose
// conditions are known, returns, and the methods called on the receiver. Anything else makes the
// variables it names unknown.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "registry/scan/merge/evaluate_parts.h"

namespace opledger::scan {
namespace {

namespace tok = clang::tok;
using ValueKind = Value::Kind;

constexpr int kDeepestBlock = 200;  // blocks inside blocks

bool Governs(const std::string& word) {
  return word == "if" || word == "for" || word == "while" || word == "switch" || word == "do" ||
         word == "try";
}

}  // namespace

bool Body::Mentions(TokenSpan tokens, const std::string& name) const {
  return std::any_of(tokens.begin(), tokens.end(),
                     [&](const TextToken& token) { return token.text == name; });
}

// The end of the statement at `at`: behind its ';', its block, or the statement it governs.
std::size_t Body::EndOf(TokenSpan tokens, std::size_t at) const {
  if (at >= tokens.size()) return tokens.size();
  if (tokens[at].kind == tok::l_brace)
    return std::min(ClosingBracket(tokens, at) + 1, tokens.size());
  if (Governs(tokens[at].text)) {
    std::size_t open = at + 1;
    while (open < tokens.size() && tokens[open].kind == tok::raw_identifier) ++open;  // constexpr
    bool condition = open < tokens.size() && tokens[open].kind == tok::l_paren;
    std::size_t end = EndOf(tokens, condition ? ClosingBracket(tokens, open) + 1 : at + 1);
    bool more = end < tokens.size() && tokens[end].text == "else";
    return more ? EndOf(tokens, end + 1) : end;
  }
  while (at < tokens.size() && tokens[at].kind != tok::semi) {
    bool opens = tokens[at].kind == tok::l_paren || tokens[at].kind == tok::l_brace ||
                 tokens[at].kind == tok::l_square;
    at = opens ? ClosingBracket(tokens, at) + 1 : at + 1;
  }
  return std::min(at + 1, tokens.size());
}

std::optional<Value> Body::Run(TokenSpan tokens) {
  if (++nesting_ > kDeepestBlock) Lose(tokens);
  for (std::size_t at = 0; at < tokens.size() && !done_;) at = Statement(tokens, at);
  --nesting_;
  return returned_;
}

// At "if": runs the branch that is taken.
void Body::If(TokenSpan statement) {
  std::size_t open = statement.size() > 1 && statement[1].kind == tok::l_paren ? 1 : 2;
  std::size_t close = open < statement.size() ? ClosingBracket(statement, open) : statement.size();
  if (close >= statement.size()) return Lose(statement);
  // Negated, a pointer or a number is a boolean.
  std::vector<TextToken> condition{{tok::exclaim, "!", {}}};
  for (std::size_t i = open; i <= close; ++i) condition.push_back(statement[i]);
  Value no = evaluator_.Evaluate(condition, scope_);
  if (no.kind != ValueKind::kBoolean) return Lose(statement);
  std::size_t then = close + 1;
  std::size_t end = EndOf(statement, then);
  // An inner if takes the else with it.
  bool inner = then < statement.size() && Governs(statement[then].text);
  if (inner) return Lose(statement);
  if (no.text == "false") {
    Run(statement.subspan(then, end - then));
  } else if (end < statement.size()) {
    Run(statement.subspan(end + 1));
  }
}

std::size_t Body::Statement(TokenSpan tokens, std::size_t at) {
  if (!evaluator_.Spend()) {
    followed_ = false;
    done_ = true;
    return tokens.size();
  }
  const std::string& word = tokens[at].text;
  std::size_t end = EndOf(tokens, at);
  TokenSpan statement = tokens.subspan(at, end - at);
  if (word == "if") {
    If(statement);
  } else if (Governs(word)) {
    Lose(statement);
  } else if (word == "{") {
    Run(statement.subspan(1, statement.size() - 2));
  } else {
    if (statement.back().kind == tok::semi) statement = statement.first(statement.size() - 1);
    if (word == "return") {
      returned_ = evaluator_.Evaluate(statement.subspan(1), scope_);
      done_ = true;
    } else if (!statement.empty()) {
      Simple(statement);
    }
  }
  return end;
}

// What a statement that is not understood may have changed.
void Body::Lose(TokenSpan statement) {
  for (auto& [name, value] : scope_.variables) {
    if (Mentions(statement, name) && !scope_.constants.contains(name)) value = {};
  }
  if (!receiver_.empty() && Mentions(statement, receiver_)) followed_ = false;
  bool returns = Mentions(statement, "return");
  if (returns) {
    returned_ = Value();
    followed_ = false;
    done_ = true;
  }
}

void Body::Simple(TokenSpan statement) {
  if (statement.size() > 2 && statement[0].text == receiver_ && statement[1].kind == tok::period) {
    return MethodsOf(statement);
  }
  if (Append(statement) || Assign(statement)) return;
  Lose(statement);
}

// schema.Input(...).Output(...)
void Body::MethodsOf(TokenSpan statement) {
  std::size_t at = 1;
  while (at + 2 < statement.size() && statement[at].kind == tok::period) {
    const std::string& method = statement[at + 1].text;
    std::size_t open = at + 2;
    if (statement[open].kind != tok::l_paren) break;
    std::size_t close = ClosingBracket(statement, open);
    if (close >= statement.size()) break;
    (*on_method_)(method, SplitArguments(statement.subspan(open + 1, close - open - 1)), scope_);
    at = close + 1;
  }
  if (at != statement.size()) followed_ = false;
}

// x.push_back(a), x.emplace_back(a), x.insert(x.end(), y.begin(), y.end())
bool Body::Append(TokenSpan statement) {
  if (statement.size() < 5 || statement[1].kind != tok::period) return false;
  auto variable = scope_.variables.find(statement[0].text);
  if (variable == scope_.variables.end() || statement[3].kind != tok::l_paren) return false;
  const std::string& method = statement[2].text;
  std::size_t close = ClosingBracket(statement, 3);
  if (close + 1 != statement.size()) return false;
  std::vector<TokenSpan> arguments = SplitArguments(statement.subspan(4, close - 4));
  Value added;
  if ((method == "push_back" || method == "emplace_back") && arguments.size() == 1) {
    added = {ValueKind::kList, {}, {evaluator_.Evaluate(arguments[0], scope_)}, {}};
  } else if (method == "insert" && arguments.size() == 3 && arguments[1].size() > 4 &&
             arguments[1][arguments[1].size() - 3].text == "begin") {
    added = evaluator_.Evaluate(arguments[1].first(arguments[1].size() - 4), scope_);
  }
  Value& list = variable->second;
  if (list.kind != ValueKind::kList || added.kind != ValueKind::kList) {
    list = {};
    return true;
  }
  list.items.insert(list.items.end(), added.items.begin(), added.items.end());
  return true;
}

// [static const auto] x = expression
bool Body::Assign(TokenSpan statement) {
  int depth = 0;
  for (std::size_t at = 0; at < statement.size(); ++at) {
    tok::TokenKind kind = statement[at].kind;
    depth += kind == tok::l_paren || kind == tok::l_brace || kind == tok::l_square;
    depth -= kind == tok::r_paren || kind == tok::r_brace || kind == tok::r_square;
    if (depth != 0 || kind != tok::equal) continue;
    if (at == 0 || statement[at - 1].kind != tok::raw_identifier) return false;
    if (at > 1 && (statement[at - 2].kind == tok::period || statement[at - 2].kind == tok::arrow)) {
      return false;
    }
    scope_.variables[statement[at - 1].text] =
        evaluator_.Evaluate(statement.subspan(at + 1), scope_);
    return true;
  }
  // std::vector<std::string> x; and x{...}, x(...): what it is made of is its value, if anything.
  bool declares = statement.size() > 1 && statement.back().kind == tok::raw_identifier &&
                  std::none_of(statement.begin(), statement.end(), [](const TextToken& token) {
                    return token.kind == tok::l_paren || token.kind == tok::period;
                  });
  if (!declares) return false;
  bool list = Mentions(statement, "vector");
  scope_.variables[statement.back().text] =
      list ? Value{ValueKind::kList, {}, {}, {}} : Value{ValueKind::kUnknown, {}, {}, {}};
  return true;
}

}  // namespace opledger::scan
