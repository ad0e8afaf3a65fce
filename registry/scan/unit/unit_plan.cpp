// Targets are the combinations of conditions under which a statement reads differently: those of
// its branches and of the meanings of each macro it uses. Passes are sets of macro values chosen so
// that every target holds in one of them.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit/unit_plan.h"

#include <algorithm>
#include <limits>
#include <map>

#include "registry/scan/preprocess/read_again.h"
#include "registry/scan/unit/macro_values.h"
#include "registry/scan/unit/unit_planner.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kMaxPasses = 256;
constexpr std::size_t kMaxTargets = 4096;
constexpr std::size_t kMaxCombined = 64;  // ways through the conditionals among arguments
constexpr std::size_t kMaxDecided = 64;   // combinations of conditions that decide names

// Returns each possible combination of `so_far` with an alternative; empty if there are more than
// `most`.
std::vector<Condition> Combined(const std::vector<Condition>& so_far,
                                const std::vector<Condition>& alternatives, std::size_t most) {
  std::vector<Condition> both;
  for (const Condition& one : so_far) {
    for (const Condition& other : alternatives) {
      const Condition together = one.And(other);
      if (together.CanBeTrue()) both.push_back(together);
    }
    if (both.size() > most) return {};
  }
  return both;
}

}  // namespace

std::vector<ForcedBranch> UnitPlanner::WithParents(int file, int branch) const {
  const std::vector<Branch>& branches = tree_.files()[file].outline.branches;
  std::vector<ForcedBranch> all;
  for (; branch != kNoBranch; branch = branches[branch].parent) {
    if (file == unit_ || !branches[branch].guard) all.push_back({file, branch});
  }
  return all;
}

void UnitPlanner::AddTarget(Alternative target) {
  if (targets_.size() >= kMaxTargets) {
    plan_.too_many = true;
  } else if (known_targets_.insert(target.when).second) {
    targets_.push_back(std::move(target));
  }
}

const std::vector<ValueState>& UnitPlanner::StatesOf(const std::string& name) const {
  static const std::vector<ValueState> none;
  const auto known = plan_.values.find(name);
  return known == plan_.values.end() ? none : known->second;
}

// Returns the identifiers in the bodies of all macros that the unit may use.
NameSet UnitPlanner::NamesInBodies() {
  NameSet bodies;
  std::vector<std::string> waiting;
  const auto add = [&](const std::string& name) {
    for (const std::string& other : Named(name)) {
      if (bodies.insert(other).second) waiting.push_back(other);
    }
  };
  for (const auto& [name, macros] : own_macros_) add(name);
  for (const std::string_view name : index_.HeaderMacrosIn(unit_)) add(std::string(name));
  while (!waiting.empty()) {
    const std::string name = std::move(waiting.back());
    waiting.pop_back();
    add(name);
  }
  return bodies;
}

// Finds the names the text may use whose values the build decides.
void UnitPlanner::FindValues(const Defines& flags, bool any, const NameSet& decided) {
  NameSet tested;
  for (const Branch& branch : outline_.branches) {
    if (branch.guard) continue;
    for (std::string& name : NamesIn(branch.Expression())) tested.insert(std::move(name));
  }
  NameSet names = looked_up_;
  if (any) {
    const NameSet bodies = NamesInBodies();
    const auto add = [&](const std::string& name) {
      if (outline_.Mentions(name) || bodies.contains(name)) names.insert(name);
    };
    for (const auto& [label, configuration] : dialect_.configurations) {
      for (const auto& [name, value] : configuration.defines) add(name);
    }
    for (const std::string& name : tested) add(name);
  }
  at_large_ = names;
  for (const auto& [label, configuration] : dialect_.configurations) {
    for (const auto& [name, value] : configuration.defines) {
      if (decided.contains(name)) names.insert(name);
    }
  }
  for (const std::string& name : names) {
    if (flags.contains(name) || dialect_.IsSink(name)) continue;
    const bool defined = !OwnMacros(name).empty() || !index_.Visible(name, unit_).empty();
    std::vector<ValueState> states = ValueStates(
        dialect_, name, {tested.contains(name), defined, index_.IsGivenByIncluder(name, unit_)});
    if (states.empty()) continue;
    const bool only_undefined =
        states.size() == 1 && states.front().when == Condition::Defined(name).Not();
    if (!only_undefined) varied_.insert(name);
    plan_.values.emplace(name, std::move(states));
  }
  if (plan_.values.empty()) return;
  // Clang must not decide conditions that depend on a value it does not know.
  for (int branch = 0; branch < static_cast<int>(outline_.branches.size()); ++branch) {
    if (outline_.branches[branch].guard) continue;
    const std::set<std::string> macros = index_.presence().InGroup(unit_, branch).Macros();
    if (std::any_of(macros.begin(), macros.end(),
                    [&](const std::string& name) { return plan_.values.contains(name); })) {
      MarkGroup(branch);
    }
  }
}

// Skips conditions that always or never hold.
void UnitPlanner::PlanDecision(const Decision& decision) {
  PlannedDecision& planned = plan_.decisions[decision.place];
  std::set<Condition> known;
  for (const ForcedBranch& one : decision.branches) {
    for (const auto& [offset, place] : PlacesOf(one.file)) {
      const Condition when = StackAt(one.file, one.branch, offset).And(place.when);
      if (when.IsAlways() || !when.CanBeTrue() || !known.insert(when).second) continue;
      planned.conditions.push_back({one, when});
    }
  }
  for (const auto& [macro, states] : plan_.values) {
    if (decision.names.contains(macro)) planned.macros.push_back(macro);
  }
}

// Returns the states of one place that passes must cover: each combination of the values and
// conditions on which it depends. If there are too many, each value and condition, once with all
// and once with none of the others.
std::vector<Condition> UnitPlanner::StatesOf(PlannedDecision& decision) const {
  std::vector<std::vector<Condition>> all;
  for (const std::string& macro : decision.macros) {
    std::vector<Condition>& states = all.emplace_back();
    for (const ValueState& state : StatesOf(macro)) states.push_back(state.when);
  }
  for (const DecidingCondition& one : decision.conditions)
    all.push_back({one.when, one.when.Not()});
  std::vector<Condition> states{Condition()};
  for (auto next = all.begin(); next != all.end() && !states.empty(); ++next) {
    states = Combined(states, *next, kMaxDecided);
  }
  if (!states.empty()) return states;
  decision.all = false;
  const auto add = [](Condition& to, const Condition& what) {
    const Condition both = to.And(what);
    if (both.CanBeTrue()) to = both;
  };
  for (auto one = all.begin(); one != all.end(); ++one) {
    for (const Condition& state : *one) {
      Condition first = state;
      Condition last = state;
      for (auto other = all.begin(); other != all.end(); ++other) {
        if (other == one) continue;
        add(first, other->front());
        add(last, other->back());
      }
      states.push_back(first);
      states.push_back(last);
    }
  }
  return states;
}

// Returns the states that passes must cover for text that may depend on any value: each combination
// of values, or each value by itself if there are too many.
std::vector<std::vector<Condition>> UnitPlanner::StatesOfValues() {
  std::vector<std::vector<Condition>> each;
  std::vector<Condition> combined{Condition()};
  for (const auto& [macro, values] : plan_.values) {
    if (!at_large_.contains(macro)) continue;
    std::vector<Condition>& states = each.emplace_back();
    for (const ValueState& state : values) states.push_back(state.when);
    if (!combined.empty()) combined = Combined(combined, states, kMaxPasses);
  }
  plan_.values_combined = !combined.empty();
  if (plan_.values_combined) return {combined};
  return each;
}

// One pass covers a state of each place.
void UnitPlanner::CombineDecisions() {
  std::vector<std::vector<Condition>> all;
  std::size_t most = 0;
  for (auto& [place, decision] : plan_.decisions) {
    most = std::max(most, all.emplace_back(StatesOf(decision)).size());
  }
  for (std::vector<Condition>& states : StatesOfValues()) {
    most = std::max(most, all.emplace_back(std::move(states)).size());
  }
  for (std::size_t pass = 0; pass < most; ++pass) {
    Condition together;
    for (const std::vector<Condition>& states : all) {
      const Condition both = together.And(states[pass % states.size()]);
      if (both.CanBeTrue()) together = both;
    }
    AddTarget({together, {}});
  }
  for (const std::vector<Condition>& states : all) {
    for (const Condition& state : states) AddTarget({state, {}});
  }
}

// Returns the varied names that the statement may use.
std::vector<std::string> UnitPlanner::VariedIn(const Statement& statement) {
  std::vector<std::string> varied;
  if (varied_.empty()) return varied;
  std::vector<std::string> waiting(statement.identifiers.begin(), statement.identifiers.end());
  NameSet seen(statement.identifiers.begin(), statement.identifiers.end());
  while (!waiting.empty()) {
    std::string name = std::move(waiting.back());
    waiting.pop_back();
    if (varied_.contains(name)) varied.push_back(name);
    for (const std::string& other : Named(name)) {
      if (seen.insert(other).second) waiting.push_back(other);
    }
  }
  return varied;
}

void UnitPlanner::AddVaried(Range range, const std::vector<std::string>& names) {
  VariedText& added = plan_.varied.emplace_back();
  added.range = range;
  for (const std::string& name : names) {
    for (Alternative& one : Meanings(name, range.begin, Condition())) {
      added.meanings.push_back({name, std::move(one.when), std::move(one.forced)});
    }
  }
}

// Splits the range where one of the names changes its meaning. Text after a call without a ';'
// belongs to its statement, including definitions in between.
std::vector<Range> UnitPlanner::PartsOf(Range range, const std::vector<std::string>& names) const {
  std::vector<Range> parts;
  Offset begin = range.begin;
  const auto& macros = outline_.macros;  // in file order
  auto macro =
      std::upper_bound(macros.begin(), macros.end(), begin,
                       [](Offset at, const MacroDefinition& one) { return at < one.offset; });
  for (; macro != macros.end() && macro->offset < range.end; ++macro) {
    if (std::find(names.begin(), names.end(), macro->name) == names.end()) continue;
    parts.push_back({begin, macro->offset});
    begin = macro->offset;
  }
  parts.push_back({begin, range.end});
  return parts;
}

void UnitPlanner::Combine(const Alternative& so_far, const std::vector<std::string>& names,
                          std::size_t next, Offset at) {
  if (next == names.size()) return AddTarget(so_far);
  for (const Alternative& meaning : Meanings(names[next], at, so_far.when)) {
    Alternative both{so_far.when.And(meaning.when), so_far.forced};
    if (!both.when.CanBeTrue()) continue;
    both.forced.insert(both.forced.end(), meaning.forced.begin(), meaning.forced.end());
    Combine(both, names, next + 1, at);
    if (plan_.too_many) return;
  }
}

// Returns where in the unit the text of `file` counts: at its #includes, or at 0 for the unit
// itself.
std::vector<std::pair<Offset, UnitPlanner::Alternative>> UnitPlanner::PlacesOf(int file) const {
  std::vector<std::pair<Offset, Alternative>> places;
  if (file == unit_) return {{0, {}}};
  const SourceFile& source = tree_.files()[unit_];
  for (std::size_t i = 0; i < source.include_files.size(); ++i) {
    if (source.include_files[i] < 0 || !index_.Reaches(source.include_files[i], file)) continue;
    const Include& include = outline_.includes[i];
    Condition when = index_.presence().Stack(unit_, include.branch);
    places.push_back({include.directive.begin, {when, WithParents(unit_, include.branch)}});
  }
  return places;
}

// Returns the condition of a branch in the unit, or in a file that it includes at `offset`.
Condition UnitPlanner::StackAt(int file, int branch, Offset offset) const {
  if (file == unit_) return index_.presence().Stack(unit_, branch);
  return index_.OutlineIn(unit_, file, offset).StackCondition(branch);
}

// Returns the branches to force to reach a branch of `file` through `place`.
std::vector<ForcedBranch> UnitPlanner::ForcedAt(int file, int branch,
                                                const Alternative& place) const {
  std::vector<ForcedBranch> forced = WithParents(file, branch);
  forced.insert(forced.end(), place.forced.begin(), place.forced.end());
  return forced;
}

// Adds each way through the conditionals among the arguments of a call, including past those
// without #else. If there are too many, adds the ways of each conditional by itself.
void UnitPlanner::AddSplits(const std::vector<Split>& splits, const Alternative& place, int file,
                            Offset offset) {
  for (auto split = splits.begin(); split != splits.end();) {
    std::vector<std::vector<int>> groups;
    std::size_t ways = 1;
    for (const Offset call = split->call; split != splits.end() && split->call == call; ++split) {
      groups.push_back(tree_.files()[file].outline.GroupOf(split->first));
      if (file == unit_) plan_.splitting.insert(groups.back().begin(), groups.back().end());
      ways = std::min(ways * (groups.back().size() + 1), kMaxCombined + 1);
    }
    if (ways <= kMaxCombined) {
      GoThrough(groups, 0, place, file, offset);
      continue;
    }
    plan_.too_many = true;
    for (const std::vector<int>& group : groups) GoThrough({group}, 0, place, file, offset);
  }
}

void UnitPlanner::GoThrough(const std::vector<std::vector<int>>& groups, std::size_t next,
                            const Alternative& so_far, int file, Offset offset) {
  if (next == groups.size()) return AddTarget(so_far);
  const auto go_on = [&](const Alternative& way) {
    if (way.when.CanBeTrue()) GoThrough(groups, next + 1, way, file, offset);
  };
  const int parent = tree_.files()[file].outline.branches[groups[next].front()].parent;
  Alternative past = so_far;
  if (parent != kNoBranch) past.when = past.when.And(StackAt(file, parent, offset));
  for (const int branch : groups[next]) {
    const Condition when = StackAt(file, branch, offset);
    go_on({so_far.when.And(when), ForcedAt(file, branch, so_far)});
    past.when = past.when.And(when.Not());
  }
  go_on(past);
}

void UnitPlanner::Walk(const Statements& statements, int file) {
  for (auto& [offset, place] : PlacesOf(file)) {
    for (int branch : statements.branches) {
      Condition when = StackAt(file, branch, offset).And(place.when);
      if (!when.CanBeTrue()) continue;
      AddTarget({when, ForcedAt(file, branch, place)});
    }
    for (auto statement = statements.all.begin(); statement != statements.all.end(); ++statement) {
      AddSplits(statement->splits, place, file, offset);
      const std::vector<std::string> names = VariedIn(*statement);
      if (names.empty()) continue;
      const auto next = std::next(statement);
      const Offset end =
          next == statements.all.end() ? std::numeric_limits<Offset>::max() : next->begin;
      std::vector<Range> parts = {{offset, offset}};
      if (file == unit_) parts = PartsOf({statement->begin, end}, names);
      for (const Range part : parts) {
        if (file == unit_) AddVaried(part, names);
        for (int branch : statement->branches) {
          Condition when = StackAt(file, branch, offset).And(place.when);
          if (!when.CanBeTrue()) continue;
          Combine({when, ForcedAt(file, branch, place)}, names, 0, part.begin);
        }
      }
    }
  }
}

// Makes sure that the target holds in some pass.
void UnitPlanner::Cover(const Alternative& target, const Defines& flags) {
  for (const Pass& pass : plan_.passes) {
    if (pass.exact && target.when.Evaluate(pass.defines)) return;
  }
  if (plan_.passes.size() >= kMaxPasses) {
    plan_.too_many = true;
    return;
  }
  const Defines& base = plan_.passes.empty() ? flags : plan_.passes.back().defines;
  Defines defines = target.when.Satisfy(base).value_or(base);
  const bool exact = target.when.Evaluate(defines);
  NameSet guessed;
  for (const auto& [name, value] : defines) {
    if (!plan_.values.contains(name)) continue;
    const auto before = base.find(name);
    const bool as_before = before != base.end() && before->second == value &&
                           (plan_.passes.empty() || !plan_.passes.back().guessed.contains(name));
    if (!as_before && !target.when.Implies(Condition::HasValue(name, value))) guessed.insert(name);
  }
  plan_.passes.push_back({std::move(defines), std::move(guessed), target.forced, exact});
}

void UnitPlanner::MakePasses(const Defines& flags) {
  for (const Alternative& target : targets_) Cover(target, flags);
  if (plan_.passes.empty()) plan_.passes.push_back({flags, {}, {}, true});
}

// Text included by a statement belongs to it: adds the macros that the text names.
void UnitPlanner::AddIncluded(Statements& statements) {
  NameSet known;
  for (const auto& [label, configuration] : dialect_.configurations) {
    for (const auto& [name, value] : configuration.defines) known.insert(name);
  }
  for (const auto& [name, macros] : own_macros_) known.insert(name);
  for (const std::string_view name : index_.HeaderMacrosIn(unit_)) known.emplace(name);
  for (std::size_t i = 0; i < outline_.includes.size(); ++i) {
    const Offset at = outline_.includes[i].directive.begin;
    const std::vector<Offset>& inside = statements.includes;
    const int file = tree_.files()[unit_].include_files[i];
    if (file < 0 || std::find(inside.begin(), inside.end(), at) == inside.end()) continue;
    const auto behind =
        std::find_if(statements.all.begin(), statements.all.end(),
                     [&](const Statement& statement) { return statement.begin > at; });
    if (behind == statements.all.begin()) continue;
    for (int other = 0; other < static_cast<int>(tree_.files().size()); ++other) {
      if (!index_.Reaches(file, other)) continue;
      for (const std::string& name : known) {
        if (tree_.files()[other].outline.Mentions(name)) {
          std::prev(behind)->identifiers.insert(name);
        }
      }
    }
  }
}

// Files included in a block or in a variable's values are read there, as a compiler does.
void UnitPlanner::IncludeInBlocks(const std::vector<Offset>& directives) {
  plan_.full_headers_reason = "a block includes a file";
  const SourceFile& source = tree_.files()[unit_];
  for (std::size_t i = 0; i < outline_.includes.size(); ++i) {
    const Include& include = outline_.includes[i];
    const Offset at = include.directive.begin;
    if (std::find(directives.begin(), directives.end(), at) == directives.end()) continue;
    const int file = source.include_files[i];
    const Condition around = index_.presence().Stack(unit_, include.branch);
    bool cut = file < 0;
    for (int other = 0; !cut && other < static_cast<int>(tree_.files().size()); ++other) {
      if (!index_.Reaches(file, other) || !tree_.files()[other].regular) continue;
      const std::vector<Branch>& branches = tree_.files()[other].outline.branches;
      for (int branch = 0; branch < static_cast<int>(branches.size()); ++branch) {
        if (branches[branch].guard) continue;
        const Condition when = StackAt(other, branch, at);
        cut = cut || when.HasUnparsable();
        for (const Condition& side : {when.And(around), when.Not().And(around)}) {
          if (side.CanBeTrue()) AddTarget({side, WithParents(unit_, include.branch)});
        }
      }
    }
    if (cut) plan_.cut_includes.push_back(at);
  }
}

UnitPlan UnitPlanner::Make(std::string_view text, const Defines& flags,
                           const std::vector<Decision>* decisions) {
  const bool any = decisions != nullptr;
  const auto& macros = outline_.macros;
  for (int i = 0; i < static_cast<int>(macros.size()); ++i) {
    own_macros_[macros[i].name].push_back(i);
  }
  std::map<int, Statements> walked;
  NameSet wanted = leading_;
  wanted.insert(index_.PiecesIn(unit_).begin(), index_.PiecesIn(unit_).end());
  walked[unit_] =
      WalkStatements(text, outline_, wanted, PlainSinks(dialect_), ClassSinks(dialect_), any);
  for (int table : index_.Tables(unit_, leading_)) {
    plan_.full_headers_reason = "a header registers with macros defined elsewhere";
    const SourceFile& source = tree_.files()[table];
    walked[table] = WalkStatements(ReadAgain(tree_, table), source.outline, leading_,
                                   PlainSinks(dialect_), ClassSinks(dialect_));
  }
  plan_.idle = std::move(walked[unit_].idle);
  plan_.in_code = walked[unit_].in_code;
  relevant_.insert(walked[unit_].branches.begin(), walked[unit_].branches.end());
  if (!walked[unit_].includes.empty()) AddIncluded(walked[unit_]);
  for (const auto& [file, statements] : walked) Close(statements);
  NameSet decided;  // names on which evaluated names depend
  for (std::size_t i = 0; any && i < decisions->size(); ++i) {
    decided.insert((*decisions)[i].names.begin(), (*decisions)[i].names.end());
  }
  FindValues(flags, any, decided);
  if (any) {
    for (const Decision& one : *decisions) PlanDecision(one);
    CombineDecisions();
  }
  for (const auto& [file, statements] : walked) Walk(statements, file);
  // To find what depends on a branch, some pass must not take it.
  for (const int branch : any ? walked[unit_].branches : std::vector<int>()) {
    AddTarget({index_.presence().Stack(unit_, branch).Not(), {}});
  }
  if (!walked[unit_].includes.empty()) IncludeInBlocks(walked[unit_].includes);
  if (too_many_pasted_) plan_.full_headers_reason = "names are pasted together in too many ways";
  MakePasses(flags);
  plan_.branches.assign(relevant_.begin(), relevant_.end());
  AskConditions();
  plan_.looked_up.assign(looked_up_.begin(), looked_up_.end());
  for (const Include& include : outline_.includes) {
    if (include.computed) plan_.full_headers_reason = "it includes a file that a macro names";
  }
  return std::move(plan_);
}

UnitPlan PlanUnit(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect, int unit,
                  const NameSet& leading, std::string_view text, const Defines& flags,
                  const std::vector<Decision>* decisions) {
  return UnitPlanner(index, tree, dialect, unit, leading).Make(text, flags, decisions);
}

}  // namespace opledger::scan
