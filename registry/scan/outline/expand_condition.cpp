// Uses Dave Prosser's algorithm: each token carries the macros it was expanded from, which do not
// expand it again.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/expand_condition.h"

#include <algorithm>
#include <optional>
#include <set>

namespace opledger::scan {
namespace {

using TokenKind = ConditionToken::Kind;
using State = ExpandedCondition::State;

constexpr std::size_t kMaxExpansionSteps = 10000;  // per expression
constexpr std::string_view kPaste = "##";

// The definition of a macro.
struct Replacement {
  bool unknown = false;
  bool is_function = false;
  bool is_variadic = false;  // the last parameter takes all remaining arguments
  std::vector<std::string> parameters;
  std::vector<ConditionToken> tokens;
};

// Reads parameters, starting at '('. Returns the index after ')'.
std::size_t ReadParameters(const std::vector<ConditionToken>& tokens, Replacement& replacement) {
  std::size_t at = 1;
  for (; at < tokens.size() && tokens[at].text != ")"; ++at) {
    if (tokens[at].kind == TokenKind::kIdentifier)
      replacement.parameters.push_back(tokens[at].text);
    if (tokens[at].text != "." || replacement.is_variadic) continue;
    replacement.is_variadic = true;
    const bool named = tokens[at - 1].kind == TokenKind::kIdentifier;
    if (!named) replacement.parameters.emplace_back("__VA_ARGS__");
  }
  return std::min(at + 1, tokens.size());
}

void ReadBody(const std::vector<ConditionToken>& tokens, std::size_t at, Replacement& replacement) {
  for (; at < tokens.size(); ++at) {
    const std::string& text = tokens[at].text;
    if (text == "#" && at + 1 < tokens.size() && tokens[at + 1].text == "#") {
      replacement.tokens.push_back({TokenKind::kPunctuator, std::string(kPaste)});
      ++at;
      continue;
    }
    replacement.unknown |= text == "#" || text == "__VA_OPT__";
    replacement.tokens.push_back(tokens[at]);
  }
}

Replacement ReplacementOf(const MacroDefinition& macro) {
  Replacement replacement;
  if (macro.undefines) return replacement;
  std::string_view text = macro.text;
  text.remove_prefix(std::min(text.size(), macro.name.size()));
  replacement.is_function = text.starts_with('(');
  std::optional<std::vector<ConditionToken>> tokens = LexCondition(text);
  replacement.unknown = !tokens;
  if (!tokens) return replacement;
  tokens->pop_back();
  const std::size_t body = replacement.is_function ? ReadParameters(*tokens, replacement) : 0;
  ReadBody(*tokens, body, replacement);
  return replacement;
}

class Expander {
 public:
  Expander(const MacroMeanings& meanings, MacrosAtPlace& place)
      : meanings_(meanings), place_(place) {}

  ExpandedCondition Run(const std::vector<ConditionToken>& expression);

 private:
  struct Token {
    ConditionToken token;
    std::set<std::string> made_of;
    bool open = false;  // a name whose value only the build can define

    bool Is(std::string_view text) const { return token.text == text; }
  };
  using Tokens = std::vector<Token>;

  void Want(State state, const std::string& name);
  const MacroDefinition* Find(const std::string& name);
  Tokens Expand(Tokens tokens, bool as_argument);
  std::size_t Defined(const Tokens& tokens, std::size_t at, Tokens& out);
  std::size_t Verbatim(const Tokens& tokens, std::size_t at, Tokens& out) const;
  std::size_t Replace(const Replacement& replacement, std::size_t at, Tokens& tokens);
  std::vector<Tokens> Arguments(const Tokens& tokens, std::size_t open, std::size_t close,
                                const Replacement& replacement);
  Tokens Substitute(const Replacement& replacement, const std::vector<Tokens>& arguments);
  void Paste(Tokens& left, Tokens right);
  void Put(TokenKind kind, std::string text, Tokens& out) const {
    out.push_back({{kind, std::move(text)}, {}});
  }

  const MacroMeanings& meanings_;
  MacrosAtPlace& place_;
  std::string wanted_;
  State state_ = State::kDone;
  std::size_t steps_ = 0;
  bool failed_ = false;
};

void Expander::Want(State state, const std::string& name) {
  if (failed_) return;
  state_ = state;
  wanted_ = name;
  failed_ = true;
}

ExpandedCondition Expander::Run(const std::vector<ConditionToken>& expression) {
  Tokens tokens;
  for (const ConditionToken& token : expression) tokens.push_back({token, {}});
  const Tokens expanded = Expand(std::move(tokens), false);
  if (!wanted_.empty()) return {state_, wanted_};
  if (failed_) return {State::kNotFollowed, {}};
  std::string text;
  for (const Token& token : expanded) text += ' ' + token.token.text;
  // No compiler accepts an empty condition, so its value does not matter.
  return {State::kDone, expanded.empty() ? "0" : std::move(text)};
}

const MacroDefinition* Expander::Find(const std::string& name) {
  if (auto found = meanings_.find(name); found != meanings_.end()) return found->second;
  if (place_.Changes(name)) Want(State::kWants, name);
  return nullptr;
}

// Evaluates "defined X" or "defined(X)" at `at` into `out`. Returns the index after it.
std::size_t Expander::Defined(const Tokens& tokens, std::size_t at, Tokens& out) {
  const bool bracket = at + 1 < tokens.size() && tokens[at + 1].Is("(");
  const std::size_t index = at + 1 + bracket;
  if (index >= tokens.size()) return tokens.size();
  const std::string& name = tokens[index].token.text;
  const MacroDefinition* macro = Find(name);
  if (macro == nullptr) {
    Put(TokenKind::kIdentifier, "defined", out);
    Put(TokenKind::kPunctuator, "(", out);
    Put(TokenKind::kIdentifier, name, out);
    Put(TokenKind::kPunctuator, ")", out);
  } else if (macro->pops) {
    Put(TokenKind::kIdentifier, "pop_macro(\"" + name + "\")", out);
  } else {
    Put(TokenKind::kNumber, macro->undefines ? "0" : "1", out);
  }
  return index + 1 + bracket;
}

// Copies NAME(...) at `at` without expansion; writes 1 if it asks for a header that exists. Returns
// the index after it.
std::size_t Expander::Verbatim(const Tokens& tokens, std::size_t at, Tokens& out) const {
  std::size_t end = at + 1;
  int depth = 0;
  std::string target;
  do {
    if (end >= tokens.size()) break;
    depth += tokens[end].Is("(");
    depth -= tokens[end].Is(")");
    if (depth > 0 && (depth > 1 || !tokens[end].Is("("))) target += tokens[end].token.text;
    ++end;
  } while (depth > 0);
  if (place_.HasInclude(target)) {
    Put(TokenKind::kNumber, "1", out);
  } else {
    out.insert(out.end(), tokens.begin() + static_cast<std::ptrdiff_t>(at),
               tokens.begin() + static_cast<std::ptrdiff_t>(std::min(end, tokens.size())));
  }
  return end;
}

// Splits the tokens between the brackets into arguments. Fails if their number does not match the
// parameters.
std::vector<Expander::Tokens> Expander::Arguments(const Tokens& tokens, std::size_t open,
                                                  std::size_t close,
                                                  const Replacement& replacement) {
  const std::size_t count = replacement.parameters.size();
  std::vector<Tokens> arguments(1);
  int depth = 0;
  for (std::size_t at = open + 1; at < close; ++at) {
    depth += tokens[at].Is("(");
    depth -= tokens[at].Is(")");
    const bool takes_all = replacement.is_variadic && arguments.size() == count;
    if (depth == 0 && tokens[at].Is(",") && !takes_all) {
      arguments.emplace_back();
    } else {
      arguments.back().push_back(tokens[at]);
    }
  }
  if (count == 0 && arguments.size() == 1 && arguments[0].empty()) arguments.clear();
  if (replacement.is_variadic && arguments.size() + 1 == count) arguments.emplace_back();
  failed_ |= arguments.size() != count;
  return arguments;
}

// Joins the last token of `left` with the first of `right`. An empty side yields the other side.
void Expander::Paste(Tokens& left, Tokens right) {
  if (left.empty() || right.empty()) {
    left.insert(left.end(), right.begin(), right.end());
    return;
  }
  Token& last = left.back();
  const Token& next = right.front();
  const auto joined = LexCondition(last.token.text + next.token.text);
  if (!joined || joined->size() != 2) {
    failed_ = true;
    return;
  }
  if (Find(joined->front().text) == nullptr) {
    if (last.open && !last.token.text.ends_with('_')) Want(State::kWantsValue, last.token.text);
    if (next.open) Want(State::kWantsValue, next.token.text);
  }
  last.token = joined->front();
  std::set<std::string> both;
  std::set_intersection(last.made_of.begin(), last.made_of.end(), next.made_of.begin(),
                        next.made_of.end(), std::inserter(both, both.end()));
  last.made_of = std::move(both);
  left.insert(left.end(), right.begin() + 1, right.end());
}

Expander::Tokens Expander::Substitute(const Replacement& replacement,
                                      const std::vector<Tokens>& arguments) {
  Tokens made;
  const auto& body = replacement.tokens;
  std::size_t operand = 0;  // where the left operand of a ## begins in `made`
  for (std::size_t i = 0; i < body.size() && !failed_; ++i) {
    const bool pasted = i > 0 && body[i - 1].text == kPaste;
    if (body[i].text == kPaste) continue;
    auto parameter =
        body[i].kind == TokenKind::kIdentifier
            ? std::find(replacement.parameters.begin(), replacement.parameters.end(), body[i].text)
            : replacement.parameters.end();
    Tokens piece{{body[i], {}}};
    if (parameter != replacement.parameters.end()) {
      const bool joins = pasted || (i + 1 < body.size() && body[i + 1].text == kPaste);
      piece = arguments[parameter - replacement.parameters.begin()];
      if (!joins) piece = Expand(std::move(piece), true);
    }
    if (!pasted) operand = made.size();
    Tokens left(made.begin() + static_cast<std::ptrdiff_t>(operand), made.end());
    made.resize(operand);
    if (pasted) {
      Paste(left, std::move(piece));
    } else {
      left = std::move(piece);
    }
    made.insert(made.end(), left.begin(), left.end());
  }
  return made;
}

// Replaces the tokens up to the end of the macro use at `at` by its expansion. Returns the index at
// which to continue.
std::size_t Expander::Replace(const Replacement& replacement, std::size_t at, Tokens& tokens) {
  const Token name = tokens[at];
  std::set<std::string> made_of = name.made_of;
  std::size_t end = at + 1;
  std::vector<Tokens> arguments;
  if (replacement.is_function) {
    int depth = 0;
    for (; end < tokens.size(); ++end) {
      depth += tokens[end].Is("(");
      depth -= tokens[end].Is(")");
      if (depth == 0) break;
    }
    failed_ |= end == tokens.size();
    if (failed_) return end;
    arguments = Arguments(tokens, at + 1, end, replacement);
    std::erase_if(made_of, [&](const auto& one) { return !tokens[end].made_of.contains(one); });
    ++end;
  }
  made_of.insert(name.token.text);
  if (failed_) return tokens.size();
  Tokens made = Substitute(replacement, arguments);
  for (Token& token : made) token.made_of.insert(made_of.begin(), made_of.end());
  made.insert(made.end(), tokens.begin() + static_cast<std::ptrdiff_t>(end), tokens.end());
  tokens = std::move(made);
  return 0;
}

// Expands all macros. `as_argument`: keep names of function-like macros that are not called.
Expander::Tokens Expander::Expand(Tokens tokens, bool as_argument) {
  Tokens out;
  for (std::size_t i = 0; i < tokens.size() && !failed_;) {
    if (++steps_ > kMaxExpansionSteps) failed_ = true;
    const Token& token = tokens[i];
    const std::string& name = token.token.text;
    const bool called = i + 1 < tokens.size() && tokens[i + 1].Is("(");
    if (name == "defined") {
      i = Defined(tokens, i, out);
      continue;
    }
    if (called && name.starts_with("__has_")) {
      i = Verbatim(tokens, i, out);
      continue;
    }
    if (name == "__LINE__" && place_.Line() > 0) {
      Put(TokenKind::kNumber, std::to_string(place_.Line()), out);
      ++i;
      continue;
    }
    const bool may = token.token.kind == TokenKind::kIdentifier && !token.made_of.contains(name);
    const MacroDefinition* macro = may ? Find(name) : nullptr;
    if (macro == nullptr) {
      out.push_back(token);
      out.back().open = may;
      ++i;
      continue;
    }
    const Replacement replacement = ReplacementOf(*macro);
    if (macro->pops) {
      Put(TokenKind::kIdentifier, "pop_macro(\"" + name + "\")", out);
      ++i;
    } else if (macro->undefines || (replacement.is_function && !called)) {
      if (as_argument) out.push_back(token);
      if (!as_argument) Put(TokenKind::kNumber, "0", out);
      ++i;
    } else if (replacement.unknown) {
      failed_ = true;
    } else {
      i = Replace(replacement, i, tokens);
    }
  }
  return out;
}

}  // namespace

ExpandedCondition ExpandCondition(const std::vector<ConditionToken>& expression,
                                  const MacroMeanings& meanings, MacrosAtPlace& place) {
  return Expander(meanings, place).Run(expression);
}

}  // namespace opledger::scan
