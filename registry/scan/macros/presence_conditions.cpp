// The effect of an #include on a macro is computed once for each header and macro: the states of
// the macro at the end of the header. Only macros in requested conditions are followed.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/macros/presence_conditions.h"

#include <algorithm>
#include <limits>

#include "registry/scan/macros/macros.h"

namespace opledger::scan {
namespace {

constexpr int kMaxDepth = 200;  // nested includes; compilers follow no more
constexpr Offset kEnd = std::numeric_limits<Offset>::max();

// A macro with an unknown definition.
const MacroDefinition& UnknownMacro() {
  static const MacroDefinition* unknown = [] {
    auto* macro = new MacroDefinition;
    macro->undefines = macro->pops = true;
    return macro;
  }();
  return *unknown;
}

bool IsUnconditional(const Outline& outline, int branch) {
  return branch == kNoBranch ||
         (outline.branches[branch].guard && outline.branches[branch].parent == kNoBranch);
}

}  // namespace

class PresenceConditions::Place : public MacrosAtPlace {
 public:
  Place(PresenceConditions& conditions, FilePlace place, int line)
      : conditions_(conditions), place_(place), line_(line) {}

  bool Changes(const std::string& name) override { return conditions_.Changes(place_, name); }
  std::vector<MacroState> States(const std::string& name, const Condition& around) override {
    return conditions_.States(place_.file, name, place_.offset, around);
  }
  std::set<std::string> TextsOfBuilds(const std::string& name) override {
    return conditions_.index_.TextsOfBuilds(name);
  }
  bool HasInclude(const std::string& target) const override {
    const SourceFile& source = conditions_.tree_.files()[place_.file];
    for (std::size_t i = 0; i < source.include_files.size(); ++i) {
      const Include& include = source.outline.includes[i];
      const std::string written =
          include.angled ? "<" + include.target + ">" : '"' + include.target + '"';
      if (source.include_files[i] >= 0 && written == target) return true;
    }
    return false;
  }
  int Line() const override { return line_; }

 private:
  PresenceConditions& conditions_;
  FilePlace place_;
  int line_;
};

// Returns whether the file includes anything before the offset. If so, conditions that its outline
// resolved by itself may be wrong.
bool PresenceConditions::Includes(int file, Offset place) const {
  const SourceFile& source = tree_.files()[file];
  for (std::size_t i = 0; i < source.include_files.size(); ++i) {
    if (source.outline.includes[i].directive.begin >= place) break;
    if (source.include_files[i] >= 0) return true;
  }
  return false;
}

const Condition& PresenceConditions::Directive(int file, int branch) {
  if (auto known = directives_.find({file, branch}); known != directives_.end()) {
    return known->second;
  }
  const Branch& directive = tree_.files()[file].outline.branches[branch];
  Condition condition;
  if (directive.resolved && (directive.written.empty() || !Includes(file, directive.directive))) {
    condition = Condition::FromExpression(directive.text);
  } else if (directive.kind != Branch::Kind::kElse) {
    Condition around = Stack(file, directive.parent);
    if (directive.previous != kNoBranch) around = around.And(PassedBy(file, directive.previous));
    Place place(*this, {file, directive.directive}, directive.line);
    const std::string expression = directive.Expression();
    condition = Condition::FromExpression(expression);
    std::optional<Condition> resolved = ResolveExpression(expression, place, around);
    if (resolved) condition = std::move(*resolved);
  }
  return directives_.emplace(std::pair(file, branch), std::move(condition)).first->second;
}

Condition PresenceConditions::PassedBy(int file, int branch) {
  Condition passed;
  const std::vector<Branch>& branches = tree_.files()[file].outline.branches;
  for (int i = branch; i != kNoBranch; i = branches[i].previous) {
    passed = passed.And(Directive(file, i).Not());
  }
  return passed;
}

Condition PresenceConditions::InGroup(int file, int branch) {
  const Branch& directive = tree_.files()[file].outline.branches[branch];
  return Directive(file, branch).And(PassedBy(file, directive.previous));
}

const Condition& PresenceConditions::Stack(int file, int branch) {
  static const Condition always;
  if (branch == kNoBranch) return always;
  if (auto known = stacks_.find({file, branch}); known != stacks_.end()) return known->second;
  const Branch& innermost = tree_.files()[file].outline.branches[branch];
  Condition condition = Stack(file, innermost.parent);
  if (!innermost.guard) {
    condition = InGroup(file, branch).And(condition);
  }
  return stacks_.emplace(std::pair(file, branch), std::move(condition)).first->second;
}

PresenceConditions::EventList& PresenceConditions::ListOf(int file, const std::string& name) {
  auto [known, fresh] = events_[file].try_emplace(name);
  EventList& list = known->second;
  if (!fresh) return list;
  const SourceFile& source = tree_.files()[file];
  for (const MacroDefinition& macro : source.outline.macros) {
    if (macro.name == name && !IsGuardMacro(source.outline, macro)) list.own.push_back(&macro);
  }
  const std::vector<DefinitionRef>& definitions = index_.HeaderDefinitions(name);
  if (definitions.empty()) return list;
  for (std::size_t i = 0; i < source.include_files.size(); ++i) {
    const int other = source.include_files[i];
    const bool may =
        other >= 0 && std::any_of(definitions.begin(), definitions.end(), [&](DefinitionRef ref) {
          return index_.Reaches(other, ref.file);
        });
    if (may) list.includes.push_back(static_cast<int>(i));
  }
  return list;
}

bool PresenceConditions::Changes(FilePlace place, const std::string& name) {
  const SourceFile& source = tree_.files()[place.file];
  const EventList& list = ListOf(place.file, name);
  if (!list.own.empty() && list.own.front()->offset < place.offset) return true;
  return !list.includes.empty() &&
         source.outline.includes[list.includes.front()].directive.begin < place.offset;
}

// Reads events up to the offset. Returns false if that would require an #include that is already
// being followed.
bool PresenceConditions::Extend(EventList& list, int file, const std::string& name, Offset place) {
  if (list.busy != 0) return place <= list.busy;
  const Outline& outline = tree_.files()[file].outline;
  for (;;) {
    const Offset own = list.next_own < list.own.size() ? list.own[list.next_own]->offset : kEnd;
    const Offset include = list.next_include < list.includes.size()
                               ? outline.includes[list.includes[list.next_include]].directive.begin
                               : kEnd;
    if (std::min(own, include) >= place) return true;
    if (own < include) {
      const MacroDefinition* macro = list.own[list.next_own++];
      Condition when = Stack(file, macro->branch);
      list.events.push_back({own, {std::move(when), macro, file}});
    } else {
      list.busy = include;
      AddInclude(list, file, name, list.includes[list.next_include++]);
      list.busy = 0;
    }
  }
}

void PresenceConditions::AddInclude(EventList& list, int file, const std::string& name,
                                    int include) {
  const SourceFile& source = tree_.files()[file];
  const Include& directive = source.outline.includes[include];
  const FilePlace place{file, directive.directive.begin};
  const int other = source.include_files[include];
  // Guarded headers that have certainly been included before have no effect.
  const std::vector<DefinitionRef>& definitions = index_.HeaderDefinitions(name);
  for (int earlier : list.includes) {
    const Include& before = source.outline.includes[earlier];
    if (earlier == include) break;
    if (!IsUnconditional(source.outline, before.branch)) continue;
    const bool all = std::all_of(definitions.begin(), definitions.end(), [&](DefinitionRef ref) {
      return !index_.Reaches(other, ref.file) ||
             (tree_.files()[ref.file].outline.guarded &&
              SurelyReaches(source.include_files[earlier], ref.file));
    });
    if (all) return;
  }
  const std::vector<MacroState>& states = Transfer(other, name);
  const Condition& around = Stack(file, directive.branch);
  for (const MacroState& state : states) {
    if (state.macro == nullptr) continue;
    Condition when = around.And(AtBegin(place, state.when));
    if (when.IsNever()) continue;
    list.events.push_back({place.offset, {std::move(when), state.macro, state.file}});
  }
}

// Returns whether the files are the same, or `file` includes `other` unconditionally.
bool PresenceConditions::SurelyReaches(int file, int other) {
  if (file == other) return true;
  if (!index_.Reaches(file, other)) return false;
  auto [known, fresh] = surely_.try_emplace({file, other}, false);
  if (!fresh) return known->second;
  const SourceFile& source = tree_.files()[file];
  for (std::size_t i = 0; i < source.include_files.size(); ++i) {
    const int next = source.include_files[i];
    if (next < 0 || !IsUnconditional(source.outline, source.outline.includes[i].branch)) continue;
    if (SurelyReaches(next, other)) return surely_[{file, other}] = true;
  }
  return false;
}

const std::vector<MacroState>& PresenceConditions::Transfer(int file, const std::string& name) {
  static const std::vector<MacroState> unchanged{{Condition(), nullptr, -1}};
  static const std::vector<MacroState> unknown{{Condition(), &UnknownMacro(), -1}};
  const std::pair<int, std::string> key(file, name);
  if (auto known = transfers_.find(key); known != transfers_.end()) return known->second;
  if (depth_ > kMaxDepth) {
    static const Condition followed = Condition::TooComplex("#include");
    static const std::vector<MacroState> too_deep{{followed, nullptr, -1},
                                                  {followed.Not(), &UnknownMacro(), -1}};
    return too_deep;
  }
  EventList& list = ListOf(file, name);
  ++depth_;
  const bool done = Extend(list, file, name, kEnd);
  --depth_;
  if (!done) return tree_.files()[file].outline.guarded ? unchanged : unknown;
  return transfers_.emplace(key, StatesAt(list.events, kEnd, Condition())).first->second;
}

std::vector<MacroState> PresenceConditions::States(int file, const std::string& name, Offset place,
                                                   const Condition& around) {
  EventList& list = ListOf(file, name);
  if (!Extend(list, file, name, place)) return {{Condition(), &UnknownMacro(), -1}};
  return StatesAt(list.events, place, around);
}

const std::vector<MacroEvent>& PresenceConditions::Events(int file, const std::string& name) {
  EventList& list = ListOf(file, name);
  Extend(list, file, name, kEnd);
  return list.events;
}

Condition PresenceConditions::AtBegin(FilePlace place, const Condition& condition) {
  if (condition.IsAlways()) return condition;
  const Outline& outline = tree_.files()[place.file].outline;
  const Condition around = Stack(place.file, outline.BranchAt(place.offset));
  Place macros(*this, place, 0);
  return ResolveCondition(condition, macros, around);
}

Condition PresenceConditions::ExpressionAt(FilePlace place, const std::string& expression) {
  const Outline& outline = tree_.files()[place.file].outline;
  const Condition around = Stack(place.file, outline.BranchAt(place.offset));
  Place macros(*this, place, 0);
  std::optional<Condition> resolved = ResolveExpression(expression, macros, around);
  return resolved ? std::move(*resolved) : Condition::FromExpression(expression);
}

}  // namespace opledger::scan
