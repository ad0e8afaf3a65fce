// Finds a path through the diagram that changes the fewest macros; see satisfy.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/condition/satisfy.h"

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "registry/condition/evaluate.h"
#include "registry/condition/function.h"
#include "registry/condition/parser.h"

namespace opledger {
namespace {

using NodeKind = ConditionNode::Kind;

constexpr std::size_t kMaxTries = 1 << 12;  // values tried for the macros in arithmetic
constexpr int kImpossible = std::numeric_limits<int>::max() / 2;

// The value that one variable must have along a path through the diagram.
struct MacroChoice {
  std::uint32_t variable = 0;
  ConditionOutcome outcome;
  bool asks_defined = false;
};

class CheapestWay {
 public:
  explicit CheapestWay(const Defines& base) : base_(base) {}

  // Returns the choices on a path from the root, which is not "never", to "always".
  std::vector<MacroChoice> Find(ConditionFunction f) {
    std::vector<MacroChoice> way;
    while (!diagram_.IsConstant(f)) {
      const Step& step = StepFrom(f);
      way.push_back({diagram_.TestOf(f).variable, step.outcome, diagram_.TestOf(f).defined});
      f = step.outcome.then;
    }
    return way;
  }

 private:
  struct Step {
    int cost = kImpossible;  // of all changes from here on
    ConditionOutcome outcome;
  };

  const Step& StepFrom(ConditionFunction f) {
    if (const auto known = steps_.find(f); known != steps_.end()) return known->second;
    Step best;
    for (const ConditionOutcome& outcome : diagram_.OutcomesOf(f)) {
      if (outcome.then == kNeverFunction) continue;
      int cost = CostOf(diagram_.TestOf(f), outcome);
      if (outcome.then != kAlwaysFunction) cost += StepFrom(outcome.then).cost;
      // Prefers 1, as a person would.
      const bool nicer =
          cost == best.cost && !outcome.undefined && outcome.least <= 1 && outcome.greatest >= 1;
      if (cost < best.cost || nicer) best = {cost, outcome};
    }
    return steps_[f] = best;
  }

  // Returns 0 if `base` already gives this outcome, 2 if a macro has to change, and 1 for other
  // terms.
  int CostOf(const ConditionTest& test, const ConditionOutcome& outcome) const {
    const ConditionTree& term = diagram_.TermOf(test.variable);
    const bool macro = term->kind == NodeKind::kMacro;
    const bool defined = base_.contains(term->name);
    const std::int64_t value = SignedValue(EvaluateTree(*term, base_));
    const bool as_it_is = outcome.undefined ? !defined
                                            : outcome.least <= value && value <= outcome.greatest &&
                                                  (defined || !test.defined || !macro);
    return as_it_is ? 0 : macro ? 2 : 1;
  }

  const Defines& base_;
  ConditionDiagram& diagram_ = ConditionDiagram::Shared();
  std::map<ConditionFunction, Step> steps_;
};

std::int64_t ValueIn(const ConditionOutcome& outcome) {
  for (const std::int64_t value : {std::int64_t{1}, std::int64_t{0}}) {
    if (outcome.least <= value && value <= outcome.greatest) return value;
  }
  return outcome.least > 1 ? outcome.least : outcome.greatest;
}

void CollectNumbers(const ConditionNode& node, std::set<std::int64_t>& numbers) {
  if (node.kind == NodeKind::kInteger) {
    const std::int64_t value = SignedValue(node.value);
    constexpr auto kLimits = std::numeric_limits<std::int64_t>();
    numbers.insert(value);
    if (value > kLimits.min()) numbers.insert(value - 1);
    if (value < kLimits.max()) numbers.insert(value + 1);
  }
  for (const ConditionTree& operand : node.operands) CollectNumbers(*operand, numbers);
}

// Searches for values of the macros in arithmetic terms by trial.
class Trial {
 public:
  Trial(ConditionFunction f, const std::vector<MacroChoice>& way, Defines& defines)
      : f_(f), defines_(defines) {
    std::set<std::int64_t> numbers{0, 1};
    const ConditionDiagram& diagram = ConditionDiagram::Shared();
    for (const MacroChoice& choice : way) {
      const ConditionTree& term = diagram.TermOf(choice.variable);
      if (term->kind == NodeKind::kMacro || term->kind == NodeKind::kOpaque) continue;
      CollectMacros(*term, true, names_);
      CollectNumbers(*term, numbers);
      for (const std::int64_t bound : {choice.outcome.least, choice.outcome.greatest}) {
        CollectNumbers(*Integer({static_cast<std::uint64_t>(bound), false}), numbers);
      }
    }
    for (const std::int64_t number : numbers) values_.push_back(std::to_string(number));
  }

  bool Run() {
    std::vector<std::string> names(names_.begin(), names_.end());
    for (std::size_t changes = 0; changes <= names.size(); ++changes) {
      if (Assign(names, 0, changes)) return true;
    }
    return false;
  }

 private:
  bool Assign(const std::vector<std::string>& names, std::size_t next, std::size_t changes) {
    if (tries_ >= kMaxTries || changes > names.size() - next) return false;
    if (next == names.size()) {
      ++tries_;
      return EvaluateFunction(f_, defines_);
    }
    if (Assign(names, next + 1, changes)) return true;
    if (changes == 0) return false;
    const auto known = defines_.find(names[next]);
    const std::optional<std::string> before =
        known == defines_.end() ? std::nullopt : std::optional(known->second);
    for (const std::string& value : values_) {
      defines_[names[next]] = value;
      if (Assign(names, next + 1, changes - 1)) return true;
    }
    defines_.erase(names[next]);
    if (before && Assign(names, next + 1, changes - 1)) return true;
    if (before) defines_[names[next]] = *before;
    return false;
  }

  ConditionFunction f_;
  Defines& defines_;
  std::set<std::string> names_;
  std::vector<std::string> values_;
  std::size_t tries_ = 0;
};

void ApplyChoice(const MacroChoice& choice, Defines& defines) {
  const ConditionTree& term = ConditionDiagram::Shared().TermOf(choice.variable);
  const ConditionOutcome& outcome = choice.outcome;
  if (term->kind != NodeKind::kMacro && term->kind != NodeKind::kOpaque) return;
  if (const auto value = PartsOfValueAtom(term->name)) {
    const auto define = defines.find(value->first);
    const bool is = define != defines.end() && CanonicalTokens(define->second) == value->second;
    const bool must_be = outcome.least > 0 || outcome.greatest < 0;
    if (must_be) defines[value->first] = value->second;
    // Another value is chosen at the test of the macro itself.
    if (!must_be && is) defines.erase(define);
    return;
  }
  if (outcome.undefined) {
    defines.erase(term->name);
    return;
  }
  const std::int64_t value = SignedValue(EvaluateTree(*term, defines));
  const bool holds = outcome.least <= value && value <= outcome.greatest;
  if (holds && (!choice.asks_defined || defines.contains(term->name))) return;
  defines[term->name] = std::to_string(holds && value != 0 ? value : ValueIn(outcome));
}

}  // namespace

std::optional<Defines> SatisfyFunction(ConditionFunction f, const Defines& base) {
  if (f == kNeverFunction) return std::nullopt;
  const ConditionDiagram& diagram = ConditionDiagram::Shared();
  Defines defines = base;
  std::set<std::string> opaque;
  if (!EvaluateFunction(f, base)) {
    const std::vector<MacroChoice> way = CheapestWay(base).Find(f);
    // Two rounds, because the value of a macro may depend on another macro.
    for (int round = 0; round < 2; ++round) {
      for (const MacroChoice& choice : way) {
        const ConditionTree& term = diagram.TermOf(choice.variable);
        if (term->kind == NodeKind::kOpaque) opaque.insert(term->name);
        ApplyChoice(choice, defines);
      }
    }
    if (!EvaluateFunction(f, defines) && !Trial(f, way, defines).Run()) return std::nullopt;
  }
  for (const std::string& name : opaque) {
    if (!base.contains(name)) defines.erase(name);
  }
  return defines;
}

}  // namespace opledger
