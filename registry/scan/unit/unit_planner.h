// Makes the plan: which macros a unit needs and what they may mean (needed_macros.cpp), and under
// which values it is read (unit_plan.cpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/scan/macros/statement_walk.h"
#include "registry/scan/unit/unit_plan.h"

namespace opledger::scan {

class UnitPlanner {
 public:
  UnitPlanner(const MacroIndex& index, const SourceTree& tree, const Dialect& dialect, int unit,
              const NameSet& leading)
      : index_(index),
        tree_(tree),
        dialect_(dialect),
        unit_(unit),
        outline_(tree.files()[unit].outline),
        leading_(leading) {}

  UnitPlan Make(std::string_view text, const Defines& flags,
                const std::vector<Decision>* decisions);

 private:
  // A meaning of a macro or a place of a statement: its condition, and the branches to take for it.
  struct Alternative {
    Condition when;
    std::vector<ForcedBranch> forced;
  };

  void Ask(const std::string& name);
  void AskConditions();
  void AddIncluded(Statements& statements);
  void IncludeInBlocks(const std::vector<Offset>& directives);
  void Close(const Statements& statements);
  void Need(const std::string& name);
  void MarkGroup(int branch);
  const std::vector<std::string>& Named(const std::string& name);
  void AddLike(const std::string& prefix, const std::string& suffix,
               std::vector<std::string>& names);
  void AddOfPiece(const std::string& piece, std::vector<std::string>& names) const;
  void AddGlued(const std::string& piece, std::vector<std::string>& names) const;
  void AddNamed(const MacroDefinition& macro, std::vector<std::string>& names);
  const std::vector<Alternative>& BeforeUnit(const std::string& name);
  std::vector<Alternative> Combinations(const std::vector<DefinitionRef>& definitions) const;
  std::vector<Alternative> LastOnes(const std::vector<DefinitionRef>& definitions) const;
  const std::vector<int>& OwnMacros(const std::string& name) const;
  std::vector<Alternative> Meanings(const std::string& name, Offset at, const Condition& around);
  std::vector<std::string> VariedIn(const Statement& statement);
  void AddVaried(Range range, const std::vector<std::string>& names);
  std::vector<Range> PartsOf(Range range, const std::vector<std::string>& names) const;
  void AddSplits(const std::vector<Split>& splits, const Alternative& place, int file,
                 Offset offset);
  void GoThrough(const std::vector<std::vector<int>>& groups, std::size_t next,
                 const Alternative& so_far, int file, Offset offset);
  NameSet NamesInBodies();
  void FindValues(const Defines& flags, bool any, const NameSet& decided);
  const std::vector<ValueState>& StatesOf(const std::string& name) const;
  void PlanDecision(const Decision& decision);
  std::vector<Condition> StatesOf(PlannedDecision& decision) const;
  std::vector<std::vector<Condition>> StatesOfValues();
  void CombineDecisions();
  void Walk(const Statements& statements, int file);
  void Combine(const Alternative& so_far, const std::vector<std::string>& names, std::size_t next,
               Offset at);
  void AddTarget(Alternative target);
  void MakePasses(const Defines& flags);
  void Cover(const Alternative& target, const Defines& flags);
  std::vector<ForcedBranch> WithParents(int file, int branch) const;
  Condition StackAt(int file, int branch, Offset offset) const;
  std::vector<ForcedBranch> ForcedAt(int file, int branch, const Alternative& place) const;
  std::vector<std::pair<Offset, Alternative>> PlacesOf(int file) const;

  const MacroIndex& index_;
  const SourceTree& tree_;
  const Dialect& dialect_;
  int unit_;
  const Outline& outline_;
  const NameSet& leading_;
  UnitPlan plan_;
  NameSet looked_up_;
  std::vector<const std::string*> pending_;  // in looked_up_
  std::map<std::string, std::vector<int>, std::less<>> own_macros_;
  std::map<std::string, std::vector<std::string>> named_;
  std::map<std::string, std::vector<Alternative>> before_unit_;
  NameSet at_large_;              // names whose values may count anywhere in the unit
  NameSet varied_;                // names that may have several meanings
  std::set<int> relevant_;        // branches
  bool too_many_pasted_ = false;  // too many names that ## may produce; the headers decide
  std::vector<Alternative> targets_;
  std::set<Condition> known_targets_;
};

}  // namespace opledger::scan
