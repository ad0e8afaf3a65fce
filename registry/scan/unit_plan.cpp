// Targets are the conditions of relevant branches and of the needed macros' definitions; passes are
// sets of macro values such that each target, and each pair in which one names things, holds once.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit_plan.h"

#include <algorithm>
#include <map>

#include "registry/scan/statement_walk.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kManyPasses = 64;

class Planner {
 public:
  Planner(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect, int unit,
          const NameSet& leading)
      : index_(index),
        dialect_(dialect),
        unit_(unit),
        outline_(tree.files()[unit].outline),
        leading_(leading) {}

  UnitPlan Make(std::string_view text, const Defines& flags);

 private:
  struct Target {
    Condition condition;
    std::vector<int> forced;
    bool names = false;  // decides what a macro means, so it counts together with every other
  };

  void Close(const NameSet& identifiers);
  void Ask(const std::string& name);
  void AskBody(const MacroDefinition& macro);
  void Need(const std::string& name, std::vector<DefinitionRef> definitions);
  void MarkGroup(int branch);
  void MakeTargets();
  void MakePasses(const Defines& flags);
  void Cover(const Condition& condition, const std::vector<int>& forced, const Defines& flags);
  std::vector<int> WithParents(int branch) const;

  const MacroIndex& index_;
  const Dialect& dialect_;
  int unit_;
  const Outline& outline_;
  const NameSet& leading_;
  UnitPlan plan_;
  NameSet asked_;
  std::vector<std::string> pending_;
  std::map<std::string, std::vector<int>, std::less<>> own_macros_;
  std::set<int> relevant_;         // branches
  std::set<int> naming_branches_;  // those that define a macro the statements use
  std::vector<Target> targets_;
};

void Planner::Ask(const std::string& name) {
  if (asked_.insert(name).second) pending_.push_back(name);
}

void Planner::AskBody(const MacroDefinition& macro) {
  for (const std::string& identifier : macro.identifiers) Ask(identifier);
  for (const auto& [prefix, suffix] : macro.pastes) {
    for (const std::string& name : leading_) {
      if (name.starts_with(prefix) && name.ends_with(suffix)) Ask(name);
    }
  }
}

void Planner::MarkGroup(int branch) {
  for (; branch != kNoBranch; branch = outline_.branches[branch].parent) {
    if (outline_.branches[branch].guard) continue;
    int first = branch;
    while (outline_.branches[first].previous != kNoBranch) {
      first = outline_.branches[first].previous;
    }
    std::set<int> group{first};
    for (int i = first; i < static_cast<int>(outline_.branches.size()); ++i) {
      if (group.contains(outline_.branches[i].previous)) group.insert(i);
    }
    relevant_.merge(group);
  }
}

void Planner::Need(const std::string& name, std::vector<DefinitionRef> definitions) {
  for (std::size_t i = 0; i < definitions.size() && plan_.doubt.empty(); ++i) {
    if (index_.Definition(definitions[i]).undefines) {
      plan_.doubt = "a header undefines '" + name + "'";
    }
    for (std::size_t j = 0; j < i; ++j) {
      Condition both = index_.DefinitionCondition(definitions[i])
                           .And(index_.DefinitionCondition(definitions[j]));
      if (both.CanBeTrue()) plan_.doubt = "headers define '" + name + "' more than once";
    }
  }
  for (DefinitionRef ref : definitions) AskBody(index_.Definition(ref));
  plan_.macros.push_back({name, std::move(definitions)});
}

void Planner::Close(const NameSet& identifiers) {
  const auto& macros = outline_.macros;
  for (int i = 0; i < static_cast<int>(macros.size()); ++i)
    own_macros_[macros[i].name].push_back(i);
  for (const std::string& name : identifiers) Ask(name);
  while (!pending_.empty()) {
    std::string name = std::move(pending_.back());
    pending_.pop_back();
    bool sink = std::any_of(dialect_.sinks.begin(), dialect_.sinks.end(),
                            [&](const Sink& s) { return s.macro == name; });
    if (sink) continue;  // its definition is ours
    if (auto own = own_macros_.find(name); own != own_macros_.end()) {
      for (int macro : own->second) {
        AskBody(macros[macro]);
        if (macros[macro].branch == kNoBranch) continue;
        MarkGroup(macros[macro].branch);
        naming_branches_.insert(macros[macro].branch);
      }
    }
    std::vector<DefinitionRef> definitions = index_.Visible(name, unit_);
    if (!definitions.empty()) Need(name, std::move(definitions));
  }
}

std::vector<int> Planner::WithParents(int branch) const {
  std::vector<int> all;
  for (; branch != kNoBranch; branch = outline_.branches[branch].parent) all.push_back(branch);
  return all;
}

void Planner::MakeTargets() {
  for (int branch : relevant_) {
    Condition condition = outline_.StackCondition(branch);
    if (condition.IsNever()) continue;
    targets_.push_back({condition, WithParents(branch), naming_branches_.contains(branch)});
  }
  for (const NeededMacro& macro : plan_.macros) {
    for (DefinitionRef ref : macro.definitions) {
      Condition condition = index_.DefinitionCondition(ref);
      if (!condition.IsAlways()) targets_.push_back({condition, {}, true});
    }
  }
}

// Makes sure that some pass sees `condition` hold.
void Planner::Cover(const Condition& condition, const std::vector<int>& forced,
                    const Defines& flags) {
  for (const Pass& pass : plan_.passes) {
    if (condition.Evaluate(pass.defines)) return;
  }
  if (plan_.passes.size() >= kManyPasses) {
    plan_.doubt = "its conditionals combine in too many ways";
    return;
  }
  const Defines& base = plan_.passes.empty() ? flags : plan_.passes.back().defines;
  if (std::optional<Defines> defines = condition.Satisfy(base)) {
    plan_.passes.push_back({std::move(*defines), forced});
  }
}

void Planner::MakePasses(const Defines& flags) {
  for (const Target& target : targets_) Cover(target.condition, target.forced, flags);
  for (const Target& naming : targets_) {
    if (!naming.names) continue;
    for (const Target& other : targets_) {
      if (&other == &naming) continue;
      std::vector<int> forced = naming.forced;
      forced.insert(forced.end(), other.forced.begin(), other.forced.end());
      Condition both = naming.condition.And(other.condition);
      if (both.CanBeTrue()) Cover(both, forced, flags);
    }
  }
  if (plan_.passes.empty()) plan_.passes.push_back({flags, {}});
}

UnitPlan Planner::Make(std::string_view text, const Defines& flags) {
  Statements statements = WalkStatements(text, outline_, leading_);
  for (int branch : statements.branches) relevant_.insert(branch);
  Close(statements.identifiers);
  MakeTargets();
  MakePasses(flags);
  plan_.branches.assign(relevant_.begin(), relevant_.end());
  plan_.asked.assign(asked_.begin(), asked_.end());
  for (const Include& include : outline_.includes) {
    if (include.computed) plan_.doubt = "it includes a file that a macro names";
  }
  if (index_.ReachesTable(unit_, leading_)) plan_.doubt = "a header uses a macro defined here";
  return std::move(plan_);
}

}  // namespace

UnitPlan MakePlan(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect, int unit,
                  const NameSet& leading, std::string_view text, const Defines& flags) {
  return Planner(index, tree, dialect, unit, leading).Make(text, flags);
}

Digest MeaningDigest(const MacroIndex& index, int unit, const NameSet& leading,
                     const Outline& outline, const std::vector<std::string>& asked) {
  DigestBuilder digest;
  for (const std::string& name : leading) {
    if (outline.Mentions(name)) digest.Add(name);
  }
  digest.Add(index.ReachesTable(unit, leading) ? "table" : "");
  for (const std::string& name : asked) {
    for (DefinitionRef ref : index.Visible(name, unit)) {
      const MacroDefinition& macro = index.Definition(ref);
      digest.Add(macro.undefines ? "#undef" : macro.text);
      digest.Add(index.DefinitionCondition(ref).text());
    }
    digest.Add(leading.contains(name) ? "+" : "-");
  }
  return digest.Finish();
}

}  // namespace opledger::scan
