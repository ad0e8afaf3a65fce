// "#define A 1" before "#if A" makes that branch always taken; a definition under a condition makes
// the later #if depend on that condition.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/macro_states.h"

#include <algorithm>
#include <map>
#include <set>

#include "registry/condition/lexer.h"

namespace opledger::scan {
namespace {

bool Implies(const Condition& a, const Condition& b) {
  return b.IsAlways() || a == b || !a.And(b.Not()).CanBeTrue();
}

// More combinations than this of what the macros of one expression mean: it is unknown.
constexpr std::size_t kMaxMeanings = 64;
constexpr std::size_t kMaxTokens = 10000;  // of one expression, macros expanded

using ConditionTokens = std::vector<ConditionToken>;
using TokenKind = ConditionToken::Kind;
// Macro name -> what it is; none: as before.
using Meaning = std::map<std::string, const MacroDefinition*, std::less<>>;

constexpr std::string_view kHasInclude = "__has_include";
constexpr std::string_view kLine = "__LINE__";

bool IsName(const ConditionToken& token) {
  return token.kind == TokenKind::kIdentifier && token.text != "defined";
}

// What stands for a macro.
struct Replacement {
  bool unknown = false;
  bool is_function = false;
  std::vector<std::string> parameters;
  ConditionTokens tokens;
};

Replacement ReplacementOf(const MacroDefinition& macro) {
  Replacement replacement;
  const ConditionTokens zero{{TokenKind::kNumber, "0"}};
  if (macro.pops) {
    replacement.unknown = true;
    return replacement;
  }
  if (macro.undefines) {
    replacement.tokens = zero;
    return replacement;
  }
  std::string_view text = macro.text;
  text.remove_prefix(std::min(text.size(), macro.name.size()));
  replacement.is_function = text.starts_with('(');
  std::optional<ConditionTokens> tokens = LexCondition(text);
  if (!tokens) {
    replacement.unknown = true;
    return replacement;
  }
  tokens->pop_back();
  auto body = tokens->begin();
  if (replacement.is_function) {
    for (++body; body != tokens->end() && body->text != ")"; ++body) {
      if (body->kind == TokenKind::kIdentifier) replacement.parameters.push_back(body->text);
      if (body->text == ".") replacement.unknown = true;
    }
    if (body != tokens->end()) ++body;
  }
  replacement.tokens.assign(body, tokens->end());
  for (const ConditionToken& token : replacement.tokens) {
    if (token.text == "#") replacement.unknown = true;
  }
  if (replacement.tokens.empty() && !replacement.is_function) replacement.tokens = zero;
  return replacement;
}

// Expands an expression's tokens under one meaning of its macros.
class Expander {
 public:
  Expander(const Meaning& meaning, MacrosAtPlace& place) : meaning_(meaning), place_(place) {}

  // None: it cannot be followed.
  std::optional<std::string> Run(const ConditionTokens& tokens) {
    const ConditionTokens expanded = Expand(tokens);
    if (failed_) return std::nullopt;
    std::string text;
    for (const ConditionToken& token : expanded) text += ' ' + token.text;
    return text;
  }

 private:
  const MacroDefinition* Find(const std::string& name) const {
    auto found = meaning_.find(name);
    return found == meaning_.end() ? nullptr : found->second;
  }

  ConditionTokens Expand(const ConditionTokens& tokens);
  std::size_t Defined(const ConditionTokens& tokens, std::size_t at, ConditionTokens& out) const;
  std::size_t Verbatim(const ConditionTokens& tokens, std::size_t at, ConditionTokens& out) const;
  std::size_t Call(const MacroDefinition& macro, const ConditionTokens& tokens, std::size_t at,
                   ConditionTokens& out);
  void Rescan(const std::string& name, const ConditionTokens& tokens, ConditionTokens& out);

  const Meaning& meaning_;
  MacrosAtPlace& place_;
  std::set<std::string> active_;  // macros being expanded
  std::size_t steps_ = 0;
  bool failed_ = false;
};

// Of "defined X" or "defined(X)" at `at`: puts what it comes to; gives the index behind it.
std::size_t Expander::Defined(const ConditionTokens& tokens, std::size_t at,
                              ConditionTokens& out) const {
  const bool bracket = at + 1 < tokens.size() && tokens[at + 1].text == "(";
  const std::size_t name = at + 1 + bracket;
  if (name >= tokens.size()) return tokens.size();
  const MacroDefinition* macro = Find(tokens[name].text);
  if (macro == nullptr) {
    out.insert(out.end(), {{TokenKind::kIdentifier, "defined"}, {TokenKind::kPunctuator, "("}});
    out.push_back(tokens[name]);
    out.push_back({TokenKind::kPunctuator, ")"});
  } else if (macro->pops) {
    out.push_back({TokenKind::kIdentifier, "pop_macro(\"" + tokens[name].text + "\")"});
  } else {
    out.push_back({TokenKind::kNumber, macro->undefines ? "0" : "1"});
  }
  return name + 1 + bracket;
}

// Of NAME(...) at `at`, nothing in it expanded: 1 where it asks for a header that is there.
std::size_t Expander::Verbatim(const ConditionTokens& tokens, std::size_t at,
                               ConditionTokens& out) const {
  std::size_t end = at + 1;
  int depth = 0;
  std::string target;
  do {
    if (end >= tokens.size()) break;
    depth += tokens[end].text == "(";
    depth -= tokens[end].text == ")";
    if (depth > 0 && (depth > 1 || tokens[end].text != "(")) target += tokens[end].text;
    ++end;
  } while (depth > 0);
  if (place_.HasInclude(target)) {
    out.push_back({TokenKind::kNumber, "1"});
  } else {
    out.insert(out.end(), tokens.begin() + static_cast<std::ptrdiff_t>(at),
               tokens.begin() + static_cast<std::ptrdiff_t>(std::min(end, tokens.size())));
  }
  return end;
}

// Of a call at `at`, whose next token is '('.
std::size_t Expander::Call(const MacroDefinition& macro, const ConditionTokens& tokens,
                           std::size_t at, ConditionTokens& out) {
  const Replacement replacement = ReplacementOf(macro);
  std::vector<ConditionTokens> arguments(1);
  int depth = 0;
  std::size_t end = at + 1;
  for (; end < tokens.size(); ++end) {
    const std::string& text = tokens[end].text;
    depth += text == "(";
    depth -= text == ")";
    if (depth == 0) break;
    if (depth == 1 && text == "(") continue;
    if (depth == 1 && text == ",") {
      arguments.emplace_back();
    } else {
      arguments.back().push_back(tokens[end]);
    }
  }
  const bool none = arguments.size() == 1 && arguments[0].empty();
  const std::size_t given = none && replacement.parameters.empty() ? 0 : arguments.size();
  if (end == tokens.size() || replacement.unknown || given != replacement.parameters.size()) {
    failed_ = true;
    return tokens.size();
  }
  for (ConditionTokens& argument : arguments) argument = Expand(argument);
  ConditionTokens body;
  for (const ConditionToken& token : replacement.tokens) {
    auto parameter = std::find(replacement.parameters.begin(), replacement.parameters.end(),
                               token.kind == TokenKind::kIdentifier ? token.text : "");
    if (parameter == replacement.parameters.end()) {
      body.push_back(token);
    } else {
      const ConditionTokens& argument = arguments[parameter - replacement.parameters.begin()];
      body.insert(body.end(), argument.begin(), argument.end());
    }
  }
  Rescan(macro.name, body, out);
  return end + 1;
}

void Expander::Rescan(const std::string& name, const ConditionTokens& tokens,
                      ConditionTokens& out) {
  active_.insert(name);
  const ConditionTokens expanded = Expand(tokens);
  active_.erase(name);
  out.insert(out.end(), expanded.begin(), expanded.end());
}

ConditionTokens Expander::Expand(const ConditionTokens& tokens) {
  ConditionTokens out;
  for (std::size_t i = 0; i < tokens.size() && !failed_;) {
    if (++steps_ > kMaxTokens) failed_ = true;
    const ConditionToken& token = tokens[i];
    const bool called = i + 1 < tokens.size() && tokens[i + 1].text == "(";
    if (token.text == "defined") {
      i = Defined(tokens, i, out);
      continue;
    }
    if (called && token.text.starts_with("__has_")) {
      i = Verbatim(tokens, i, out);
      continue;
    }
    if (token.text == kLine && place_.Line() > 0) {
      out.push_back({TokenKind::kNumber, std::to_string(place_.Line())});
      ++i;
      continue;
    }
    const MacroDefinition* macro = IsName(token) ? Find(token.text) : nullptr;
    if (macro == nullptr || active_.contains(token.text)) {
      out.push_back(token);
      ++i;
      continue;
    }
    const Replacement replacement = ReplacementOf(*macro);
    if (macro->pops) {
      out.push_back({TokenKind::kIdentifier, "pop_macro(\"" + token.text + "\")"});
      ++i;
    } else if (replacement.is_function && called) {
      i = Call(*macro, tokens, i, out);
    } else if (replacement.is_function) {
      out.push_back({TokenKind::kNumber, "0"});  // not called, so not expanded: a plain name
      ++i;
    } else if (replacement.unknown) {
      failed_ = true;
    } else {
      Rescan(token.text, replacement.tokens, out);
      ++i;
    }
  }
  return out;
}

class Resolver {
 public:
  Resolver(MacrosAtPlace& place, const Condition& around) : place_(place), around_(around) {}

  std::optional<Condition> Run(const std::string& expression);

 private:
  using Meanings = std::vector<std::pair<Condition, Meaning>>;

  void Extend(const std::string& name, Meanings& meanings);

  MacrosAtPlace& place_;
  const Condition& around_;
};

// Splits each meaning by the states of one more macro, and of those its values name.
void Resolver::Extend(const std::string& name, Meanings& meanings) {
  if (!place_.Changes(name)) return;
  Meanings before = std::move(meanings);
  meanings.clear();
  for (const auto& [when, meaning] : before) {
    if (meaning.contains(name)) {
      meanings.emplace_back(when, meaning);
      continue;
    }
    for (const MacroState& state : place_.States(name, around_.And(when))) {
      Meanings deeper{{when.And(state.when), meaning}};
      deeper.front().second[name] = state.macro;
      if (state.macro != nullptr) {
        for (const ConditionToken& token : ReplacementOf(*state.macro).tokens) {
          if (IsName(token)) Extend(token.text, deeper);
        }
      }
      meanings.insert(meanings.end(), deeper.begin(), deeper.end());
      if (meanings.size() > kMaxMeanings) return;
    }
  }
}

std::optional<Condition> Resolver::Run(const std::string& expression) {
  std::optional<ConditionTokens> tokens = LexCondition(expression);
  if (!tokens) return std::nullopt;
  tokens->pop_back();
  const bool changes =
      std::any_of(tokens->begin(), tokens->end(), [&](const ConditionToken& token) {
        return IsName(token) && (place_.Changes(token.text) || token.text == kHasInclude ||
                                 (token.text == kLine && place_.Line() > 0));
      });
  if (!changes) return std::nullopt;
  Meanings meanings{{Condition(), {}}};
  for (const ConditionToken& token : *tokens) {
    if (IsName(token)) Extend(token.text, meanings);
    if (meanings.size() > kMaxMeanings) return Condition::Unknown(expression);
  }
  Condition resolved = Condition::Never();
  for (const auto& [when, meaning] : meanings) {
    const std::optional<std::string> text = Expander(meaning, place_).Run(*tokens);
    Condition value = text ? Condition::FromExpression(*text) : Condition::Unknown(expression);
    if (!Implies(around_.And(value), when)) value = value.And(when);
    resolved = resolved.Or(value);
  }
  if (!around_.And(resolved).CanBeTrue()) return Condition::Never();
  if (Implies(around_, resolved)) return Condition();
  // The same in fewer words: with #ifndef X / #define X 0, `X` stays `X`.
  Condition plain = Condition::FromExpression(expression);
  if (Implies(around_.And(plain), resolved) && Implies(around_.And(resolved), plain)) return plain;
  return resolved;
}

// What the file's own macros mean at a place of it.
class OwnMacros : public MacrosAtPlace {
 public:
  explicit OwnMacros(const Outline& outline) : outline_(outline) {
    for (const MacroDefinition& macro : outline.macros) {
      if (!IsGuardMacro(outline, macro)) macros_[macro.name].push_back(&macro);
    }
  }

  void GoTo(const Branch& branch) {
    at_ = branch.directive;
    line_ = branch.line;
    included_between_ = false;
  }
  // Whether something it was asked for may have been changed by an #include.
  bool included_between() const { return included_between_; }

  bool Changes(const std::string& name) override {
    auto found = macros_.find(name);
    return found != macros_.end() && found->second.front()->offset < at_;
  }
  std::vector<MacroState> States(const std::string& name, const Condition& around) override {
    std::vector<MacroEvent> events;
    for (const MacroDefinition* macro : macros_[name]) {
      if (macro->offset >= at_) break;
      events.push_back({macro->offset, {outline_.StackCondition(macro->branch), macro, -1}});
    }
    const Offset first = events.front().offset;
    included_between_ |= std::any_of(
        outline_.includes.begin(), outline_.includes.end(), [&](const Include& include) {
          return include.directive.begin > first && include.directive.begin < at_;
        });
    return StatesAt(events, at_, around);
  }
  bool HasInclude(const std::string&) const override { return false; }
  int Line() const override { return line_; }

 private:
  const Outline& outline_;
  Offset at_ = 0;
  int line_ = 0;
  bool included_between_ = false;
  std::map<std::string, std::vector<const MacroDefinition*>, std::less<>> macros_;
};

}  // namespace

bool IsGuardMacro(const Outline& outline, const MacroDefinition& macro) {
  return macro.branch == 0 && outline.branches[0].guard && !macro.undefines &&
         outline.branches[0].text.find(macro.name) != std::string::npos;
}

std::vector<std::string> NamesIn(const std::string& expression) {
  std::vector<std::string> names;
  for (const ConditionToken& token : LexCondition(expression).value_or(ConditionTokens())) {
    if (IsName(token)) names.push_back(token.text);
  }
  return names;
}

std::vector<MacroState> StatesAt(const std::vector<MacroEvent>& events, Offset offset,
                                 const Condition& around) {
  std::vector<MacroState> states{{Condition(), nullptr, -1}};
  for (const MacroEvent& event : events) {
    if (event.offset >= offset) break;
    const Condition& when = event.state.when;
    if (!around.And(when).CanBeTrue()) continue;
    const MacroDefinition* macro = event.state.macro;
    std::vector<MacroState> becomes{event.state};
    if (macro->pops && macro->pushed != 0) {
      becomes = StatesAt(events, macro->pushed, around.And(when));
      for (MacroState& state : becomes) state.when = state.when.And(when);
    }
    std::vector<MacroState> left;
    if (!Implies(around, when)) {
      for (MacroState& state : states) {
        if (state.when.And(around).And(when).CanBeTrue()) state.when = state.when.And(when.Not());
        if (state.when.And(around).CanBeTrue()) left.push_back(std::move(state));
      }
    } else {
      for (MacroState& state : becomes) {
        if (state.when == when) state.when = Condition();
      }
    }
    left.insert(left.end(), becomes.begin(), becomes.end());
    states = std::move(left);
  }
  return states;
}

std::optional<Condition> ResolveExpression(const std::string& expression, MacrosAtPlace& place,
                                           const Condition& around) {
  return Resolver(place, around).Run(expression);
}

void ResolveConditions(Outline& outline) {
  const bool lines = std::any_of(outline.branches.begin(), outline.branches.end(),
                                 [](const Branch& branch) { return branch.line > 0; });
  if (outline.branches.empty() || (outline.macros.empty() && !lines)) return;
  OwnMacros macros(outline);
  for (Branch& branch : outline.branches) {
    if (branch.kind == Branch::Kind::kElse || branch.guard) continue;
    macros.GoTo(branch);
    Condition around = outline.StackCondition(branch.parent);
    if (branch.previous != kNoBranch) around = around.And(outline.PassedBy(branch.previous));
    std::optional<Condition> resolved = ResolveExpression(branch.Expression(), macros, around);
    if (!resolved || macros.included_between()) continue;
    branch.written = branch.Expression();
    branch.resolved = true;
    branch.text = resolved->IsAlways() ? "1" : resolved->text();
  }
}

}  // namespace opledger::scan
