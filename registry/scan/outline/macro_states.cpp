// "#define A 1" before "#if A" makes that branch always taken; a definition under a condition makes
// the later #if depend on that condition.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/macro_states.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "registry/condition/lexer.h"

namespace opledger::scan {
namespace {

bool Implies(const Condition& a, const Condition& b) {
  return b.IsAlways() || !a.And(b.Not()).CanBeTrue();
}

// More combinations than this of what the macros of one expression mean: it stays as it is.
constexpr std::size_t kMaxMeanings = 64;

using ConditionTokens = std::vector<ConditionToken>;
using Meaning = std::map<std::string, int, std::less<>>;  // macro name -> MacroState::macro

bool IsName(const ConditionToken& token) {
  return token.kind == ConditionToken::Kind::kIdentifier && token.text != "defined";
}

// Resolves the branches of one outline, in their order: with the macros of `source`, as they are at
// the branch, or at `at` where that is given.
class Resolver {
 public:
  Resolver(Outline& outline, const Outline& source, std::optional<Offset> at)
      : outline_(outline), source_(source), at_(at) {
    for (int i = 0; i < static_cast<int>(source.macros.size()); ++i) {
      if (IsGuard(source.macros[i])) continue;
      events_[source.macros[i].name].push_back(i);
    }
  }

  void Run() {
    for (Branch& branch : outline_.branches) {
      if (branch.kind == Branch::Kind::kElse || branch.guard) continue;
      if (std::optional<Condition> resolved = Resolve(branch)) {
        branch.resolved = true;
        branch.text = resolved->IsAlways() ? "1" : resolved->text();
      }
    }
  }

 private:
  // The definition of an include guard's macro: it says nothing about the file's conditions.
  bool IsGuard(const MacroDefinition& macro) const {
    return macro.branch == 0 && source_.branches[0].guard &&
           source_.branches[0].text.find(macro.name) != std::string::npos;
  }

  Offset Place(const Branch& branch) const { return at_.value_or(branch.directive); }

  const std::vector<int>* EventsBefore(std::string_view name, const Branch& branch) const {
    auto found = events_.find(name);
    if (found == events_.end()) return nullptr;
    bool before = source_.macros[found->second.front()].offset < Place(branch);
    return before ? &found->second : nullptr;
  }

  // The replacement text of an object-like macro; none for a function-like one.
  std::optional<std::string> Value(int macro) const {
    const MacroDefinition& definition = source_.macros[macro];
    if (definition.undefines) return "0";
    if (definition.text.size() <= definition.name.size()) return "0";
    std::string body = definition.text.substr(definition.name.size());
    if (body.starts_with('(')) return std::nullopt;
    return body;
  }

  std::optional<Condition> Resolve(const Branch& branch) const;
  void Extend(const std::string& name, const Branch& branch, const Condition& around,
              std::vector<std::pair<Condition, Meaning>>& meanings) const;
  std::string Substitute(const ConditionTokens& tokens, const Meaning& meaning, int depth) const;
  Condition Around(const Branch& branch) const;

  Outline& outline_;
  const Outline& source_;
  std::optional<Offset> at_;
  std::map<std::string, std::vector<int>, std::less<>> events_;
};

// What holds wherever the branch's expression is evaluated.
Condition Resolver::Around(const Branch& branch) const {
  Condition around = outline_.StackCondition(branch.parent);
  if (branch.previous == kNoBranch) return around;
  return around.And(outline_.PassedBy(branch.previous));
}

// Splits each meaning by the states of one more macro, and of those its values name.
void Resolver::Extend(const std::string& name, const Branch& branch, const Condition& around,
                      std::vector<std::pair<Condition, Meaning>>& meanings) const {
  const std::vector<int>* events = EventsBefore(name, branch);
  if (events == nullptr) return;
  std::vector<std::pair<Condition, Meaning>> before = std::move(meanings);
  meanings.clear();
  for (const auto& [when, meaning] : before) {
    if (meaning.contains(name)) {
      meanings.emplace_back(when, meaning);
      continue;
    }
    for (const MacroState& state : StatesAt(source_, *events, Place(branch), around.And(when))) {
      std::vector<std::pair<Condition, Meaning>> deeper{{when.And(state.when), meaning}};
      deeper.front().second[name] = state.macro;
      std::optional<std::string> value = state.macro < 0 ? std::nullopt : Value(state.macro);
      if (std::optional<ConditionTokens> tokens = value ? LexCondition(*value) : std::nullopt) {
        for (const ConditionToken& token : *tokens) {
          if (IsName(token)) Extend(token.text, branch, around, deeper);
        }
      }
      meanings.insert(meanings.end(), deeper.begin(), deeper.end());
      if (meanings.size() > kMaxMeanings) return;
    }
  }
}

std::string Resolver::Substitute(const ConditionTokens& tokens, const Meaning& meaning,
                                 int depth) const {
  std::string text;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const std::string& token = tokens[i].text;
    text += ' ';
    if (token == "defined") {
      bool bracket = tokens[i + 1].text == "(";
      const ConditionToken& name = tokens[std::min(i + 1 + bracket, tokens.size() - 1)];
      auto found = meaning.find(name.text);
      if (found == meaning.end() || found->second < 0) {
        text += "defined(" + name.text + ")";
      } else {
        text += source_.macros[found->second].undefines ? "0" : "1";
      }
      i += bracket ? 3 : 1;
      continue;
    }
    auto found = IsName(tokens[i]) ? meaning.find(token) : meaning.end();
    std::optional<std::string> value;
    if (found != meaning.end() && found->second >= 0) value = Value(found->second);
    std::optional<ConditionTokens> inner =
        value && depth < 20 ? LexCondition(*value) : std::nullopt;
    text += inner ? "(" + Substitute(*inner, meaning, depth + 1) + " )" : token;
  }
  return text;
}

std::optional<Condition> Resolver::Resolve(const Branch& branch) const {
  using Kind = Branch::Kind;
  std::string expression = branch.text;
  if (branch.resolved) {
    // Already an expression.
  } else if (branch.kind == Kind::kIfdef || branch.kind == Kind::kElifdef) {
    expression = "defined(" + branch.text + ")";
  } else if (branch.kind == Kind::kIfndef || branch.kind == Kind::kElifndef) {
    expression = "!defined(" + branch.text + ")";
  }
  std::optional<ConditionTokens> tokens = LexCondition(expression);
  if (!tokens) return std::nullopt;
  bool own = std::any_of(tokens->begin(), tokens->end(), [&](const ConditionToken& token) {
    return IsName(token) && EventsBefore(token.text, branch) != nullptr;
  });
  if (!own) return std::nullopt;
  Condition around = Around(branch);
  std::vector<std::pair<Condition, Meaning>> meanings{{Condition(), {}}};
  for (const ConditionToken& token : *tokens) {
    if (IsName(token)) Extend(token.text, branch, around, meanings);
    if (meanings.size() > kMaxMeanings) return std::nullopt;
  }
  Condition resolved = Condition::Never();
  for (const auto& [when, meaning] : meanings) {
    Condition value = Condition::FromExpression(Substitute(*tokens, meaning, 0));
    if (!Implies(around.And(value), when)) value = value.And(when);
    resolved = resolved.Or(value);
  }
  if (!around.And(resolved).CanBeTrue()) return Condition::Never();
  return Implies(around, resolved) ? Condition() : resolved;
}

}  // namespace

std::vector<MacroState> StatesAt(const Outline& outline, const std::vector<int>& events,
                                 Offset offset, const Condition& around) {
  std::vector<MacroState> states{{Condition(), -1}};
  for (int event : events) {
    if (outline.macros[event].offset >= offset) break;
    Condition when = outline.StackCondition(outline.macros[event].branch);
    if (!around.And(when).CanBeTrue()) continue;
    if (Implies(around, when)) {
      states = {{Condition(), event}};
      continue;
    }
    std::vector<MacroState> left;
    for (MacroState& state : states) {
      if (state.when.And(around).And(when).CanBeTrue()) state.when = state.when.And(when.Not());
      if (state.when.And(around).CanBeTrue()) left.push_back(std::move(state));
    }
    left.push_back({std::move(when), event});
    states = std::move(left);
  }
  return states;
}

void ResolveConditions(Outline& outline) {
  if (outline.branches.empty() || outline.macros.empty()) return;
  Resolver(outline, outline, std::nullopt).Run();
}

Outline AsIncluded(const Outline& included, const Outline& includer, Offset at) {
  Outline seen = included;
  Resolver(seen, includer, at).Run();
  return seen;
}

}  // namespace opledger::scan
