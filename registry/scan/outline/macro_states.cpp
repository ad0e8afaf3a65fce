// "#define A 1" before "#if A" makes the branch unconditional; a conditional definition makes a
// later #if depend on its condition.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/macro_states.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "registry/condition/configuration.h"
#include "registry/condition/lexer.h"
#include "registry/condition/tree.h"
#include "registry/scan/outline/expand_condition.h"

namespace opledger::scan {
namespace {

// If the macros of an expression have more combinations of meanings than this, it is unknown.
constexpr std::size_t kMaxMeanings = 4096;

using ConditionTokens = std::vector<ConditionToken>;
using TokenKind = ConditionToken::Kind;

constexpr std::string_view kHasInclude = "__has_include";
constexpr std::string_view kLine = "__LINE__";

bool IsName(const ConditionToken& token) {
  return token.kind == TokenKind::kIdentifier && token.text != "defined";
}

// Operators allowed outside parentheses in an expression that replaces an atom.
enum class Binding { kNone, kArithmetic, kAny };

bool BindsAs(const std::string& expression, Binding binding) {
  if (binding == Binding::kAny) return true;
  const ConditionTokens tokens = LexCondition(expression).value_or(ConditionTokens());
  int depth = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const std::string& text = tokens[i].text;
    if (tokens[i].kind != TokenKind::kPunctuator) continue;
    depth += text == "(";
    depth -= text == ")";
    if (depth > 0 || text == "(" || text == ")") continue;
    const bool logical = text == "&&" || text == "||" || text == "?" || text == ":" || text == ",";
    const bool unary = text == "!" || text == "~" || (i == 0 && (text == "-" || text == "+"));
    if (logical || (binding == Binding::kNone && !unary)) return false;
  }
  return true;
}

// Splits an expression by the meanings of its macros. Does so atom by atom, so that the meanings of
// independent macros are not multiplied; or for the whole expression, if an atom expands to
// operators that bind less tightly than the atom.
class Resolver {
 public:
  Resolver(MacrosAtPlace& place, const Condition& around) : place_(place), around_(around) {}

  std::optional<Condition> Run(const std::string& expression);
  Condition Run(const Condition& condition);

 private:
  Condition AtomByAtom(const Condition& condition);
  std::optional<Condition> OfAtom(const ConditionNode& atom);
  Condition Whole(const std::string& expression, const ConditionTokens& tokens);
  bool Resolve(const std::string& expression, const ConditionTokens& tokens, const Condition& when,
               const MacroMeanings& meanings);
  bool Changes(const ConditionTokens& tokens) const;
  std::vector<MacroState> Values(const std::string& name);
  Condition Simplified(const Condition& resolved, const Condition& plain) const;

  MacrosAtPlace& place_;
  const Condition& around_;
  Condition resolved_ = Condition::Never();
  std::size_t meanings_ = 0;
  Binding binding_ = Binding::kAny;
  bool loose_ = false;  // an atom expanded to operators that bind less tightly
  std::deque<MacroDefinition> values_;
};

// Returns the values that the build may give a macro from which names are pasted: undefined, 0, 1,
// or the values of the configurations. Other values are not covered.
std::vector<MacroState> Resolver::Values(const std::string& name) {
  std::set<std::string> texts = place_.TextsOfBuilds(name);
  texts.insert({"0", "1"});
  std::vector<MacroState> states;
  const auto add = [&](Condition when, bool undefined, const std::string& text) {
    MacroDefinition& macro = values_.emplace_back();
    macro.name = name;
    macro.undefines = undefined;
    macro.text = name + " " + text;
    states.push_back({std::move(when), &macro, -1});
  };
  add(Condition::Defined(name).Not(), true, "");
  Condition rest;
  for (const MacroText& one : TellApart(name, texts, rest)) add(one.when, false, one.text);
  return states;
}

// Adds the value of the expression where `when` holds. Returns false if there are too many cases.
bool Resolver::Resolve(const std::string& expression, const ConditionTokens& tokens,
                       const Condition& when, const MacroMeanings& meanings) {
  if (++meanings_ > kMaxMeanings) return false;
  const ExpandedCondition expanded = ExpandCondition(tokens, meanings, place_);
  const bool wants_value = expanded.state == ExpandedCondition::State::kWantsValue;
  if (expanded.state == ExpandedCondition::State::kWants || wants_value) {
    --meanings_;
    Condition other = when;
    for (const MacroState& state :
         wants_value ? Values(expanded.text) : place_.States(expanded.text, around_.And(when))) {
      other = other.And(state.when.Not());
      MacroMeanings deeper = meanings;
      deeper[expanded.text] = state.macro;
      if (!Resolve(expression, tokens, when.And(state.when), deeper)) return false;
    }
    if (wants_value) resolved_ = resolved_.Or(other.And(Condition::Unknown(expression)));
    return true;
  }
  const bool done = expanded.state == ExpandedCondition::State::kDone;
  loose_ = loose_ || (done && !BindsAs(expanded.text, binding_));
  Condition value =
      done ? Condition::FromExpression(expanded.text) : Condition::Unknown(expression);
  resolved_ = resolved_.Or(value.And(when));
  return !loose_;
}

bool Resolver::Changes(const ConditionTokens& tokens) const {
  return std::any_of(tokens.begin(), tokens.end(), [&](const ConditionToken& token) {
    return IsName(token) && (place_.Changes(token.text) || token.text == kHasInclude ||
                             (token.text == kLine && place_.Line() > 0));
  });
}

Condition Resolver::Whole(const std::string& expression, const ConditionTokens& tokens) {
  resolved_ = Condition::Never();
  meanings_ = 0;
  if (Resolve(expression, tokens, Condition(), {})) return resolved_;
  return Condition::Unknown(expression);
}

std::optional<Condition> Resolver::OfAtom(const ConditionNode& atom) {
  if (loose_) return std::nullopt;
  const std::string text = ConditionText(atom);
  std::optional<ConditionTokens> tokens = LexCondition(text);
  if (!tokens) return std::nullopt;
  tokens->pop_back();
  if (!Changes(*tokens)) return std::nullopt;
  const bool single =
      atom.kind == ConditionNode::Kind::kMacro || atom.kind == ConditionNode::Kind::kOpaque;
  binding_ = single ? Binding::kNone : Binding::kArithmetic;
  return Whole(text, *tokens);
}

// Shortens the result if it means the same under `around_`: with #ifndef X / #define X 0, `X` stays
// `X`.
Condition Resolver::Simplified(const Condition& resolved, const Condition& plain) const {
  if (around_.And(resolved).IsNever()) return Condition::Never();
  if (around_.Implies(resolved)) return Condition();
  return around_.And(plain) == around_.And(resolved) ? plain : resolved;
}

std::optional<Condition> Resolver::Run(const std::string& expression) {
  std::optional<ConditionTokens> tokens = LexCondition(expression);
  if (!tokens) return std::nullopt;
  tokens->pop_back();
  if (!Changes(*tokens)) return std::nullopt;
  const Condition plain = Condition::FromExpression(expression);
  Condition resolved = AtomByAtom(plain);
  if (loose_ || plain.HasUnparsable()) {
    binding_ = Binding::kAny;
    loose_ = false;
    resolved = Whole(expression, *tokens);
  }
  return Simplified(resolved, plain);
}

Condition Resolver::AtomByAtom(const Condition& condition) {
  return condition.WithAtoms([&](const ConditionTree& atom) { return OfAtom(*atom); });
}

Condition Resolver::Run(const Condition& condition) {
  Condition resolved = AtomByAtom(condition);
  return loose_ ? Run(condition.text()).value_or(condition) : resolved;
}

// Meanings of the file's own macros at a place in it.
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
    incomplete_ = false;
  }
  // Returns whether the answers depend on an #include or on the build.
  bool incomplete() const { return incomplete_; }

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
    incomplete_ |= std::any_of(
        outline_.includes.begin(), outline_.includes.end(), [&](const Include& include) {
          return include.directive.begin > first && include.directive.begin < at_;
        });
    return StatesAt(events, at_, around);
  }
  std::set<std::string> TextsOfBuilds(const std::string&) override {
    incomplete_ = true;
    return {};
  }
  bool HasInclude(const std::string&) const override { return false; }
  int Line() const override { return line_; }

 private:
  const Outline& outline_;
  Offset at_ = 0;
  int line_ = 0;
  bool incomplete_ = false;
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
    if (!around.Implies(when)) {
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

Condition ResolveCondition(const Condition& condition, MacrosAtPlace& place,
                           const Condition& around) {
  return Resolver(place, around).Run(condition);
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
    if (!resolved || macros.incomplete()) continue;
    branch.written = branch.Expression();
    branch.resolved = true;
    branch.text = resolved->IsAlways() ? "1" : resolved->text();
  }
}

}  // namespace opledger::scan
