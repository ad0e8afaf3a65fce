// Finds the macros that a unit needs: those that its statements name, those that these may expand
// to, and the headers' definitions of names in its conditions.
// SPDX-License-Identifier: Apache-2.0

#include "registry/scan/outline/macro_states.h"
#include "registry/scan/unit/unit_planner.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kMaxPasted = 256;
constexpr std::size_t kMaxMeanings = 32;
constexpr char kInCondition = '#';  // before a name looked up for a condition
constexpr char kLike = '~';         // before the prefix and the suffix of pasted names

}  // namespace

void UnitPlanner::Ask(const std::string& name) {
  auto [looked_up, fresh] = looked_up_.insert(name);
  if (fresh) pending_.push_back(&*looked_up);
}

void UnitPlanner::AddNamed(const MacroDefinition& macro, std::vector<std::string>& names) {
  names.insert(names.end(), macro.identifiers.begin(), macro.identifiers.end());
  for (const auto& [prefix, suffix] : macro.pastes) {
    for (const std::string& name : leading_) {
      if (name.starts_with(prefix) && name.ends_with(suffix)) names.push_back(name);
    }
    AddLike(prefix, suffix, names);
  }
  if (!index_.CallsGluing(macro, unit_)) return;
  for (const std::string& word : macro.identifiers) {
    AddOfPiece(word, names);
    if (word.ends_with('_')) AddLike(word, {}, names);
  }
}

// Adds macros of headers that pasting may produce: SHORT_##type, as a value or a call.
void UnitPlanner::AddLike(const std::string& prefix, const std::string& suffix,
                          std::vector<std::string>& names) {
  looked_up_.insert(kLike + prefix + kLike + suffix);
  const std::vector<std::string>& like = index_.HeaderMacrosLike(prefix, suffix);
  if (like.size() > kMaxPasted) {
    too_many_pasted_ = true;
    return;
  }
  for (const std::string& name : like) {
    if (!index_.Visible(name, unit_).empty()) names.push_back(name);
  }
}

// Adds the leading names of which the word is a piece.
void UnitPlanner::AddOfPiece(const std::string& piece, std::vector<std::string>& names) const {
  if (!IsTellingPiece(piece)) return;
  for (const std::string& name : leading_) {
    if (name.starts_with(piece) || name.ends_with(piece)) names.push_back(name);
  }
}

// In blocks any macro may register: WITH_ may become WITH_2 if a macro pastes its arguments.
void UnitPlanner::AddGlued(const std::string& piece, std::vector<std::string>& names) const {
  if (index_.inner().empty() || !IsTellingPiece(piece)) return;
  auto add = [&](const auto& macros, auto name_of) {
    for (auto at = macros.upper_bound(piece); at != macros.end(); ++at) {
      if (!name_of(*at).starts_with(piece)) break;
      names.push_back(name_of(*at));
    }
  };
  add(index_.inner(), [](const std::string& name) -> const std::string& { return name; });
  add(own_macros_, [](const auto& entry) -> const std::string& { return entry.first; });
}

// Returns the names in the bodies of all definitions of the macro.
const std::vector<std::string>& UnitPlanner::Named(const std::string& name) {
  auto [known, fresh] = named_.try_emplace(name);
  if (!fresh) return known->second;
  std::vector<std::string> names;
  if (auto own = own_macros_.find(name); own != own_macros_.end()) {
    for (int macro : own->second) AddNamed(outline_.macros[macro], names);
  }
  for (DefinitionRef ref : index_.Visible(name, unit_)) AddNamed(index_.Definition(ref), names);
  AddGlued(name, names);
  if (index_.PiecesIn(unit_).contains(name)) AddOfPiece(name, names);
  return known->second = std::move(names);
}

void UnitPlanner::MarkGroup(int branch) {
  for (; branch != kNoBranch; branch = outline_.branches[branch].parent) {
    if (outline_.branches[branch].guard) continue;
    const std::vector<int> group = outline_.GroupOf(outline_.FirstOf(branch));
    relevant_.insert(group.begin(), group.end());
  }
}

// Returns the meanings that the macro may have at the start of the unit: none, or a definition of
// its headers that no later one replaces.
const std::vector<UnitPlanner::Alternative>& UnitPlanner::BeforeUnit(const std::string& name) {
  auto [known, fresh] = before_unit_.try_emplace(name);
  if (!fresh) return known->second;
  const std::vector<DefinitionRef>& definitions = index_.Visible(name, unit_);
  std::vector<Alternative> all = Combinations(definitions);
  if (all.empty()) {
    // Too many: use each definition if no later one holds, in either order of inclusion.
    std::vector<DefinitionRef> reversed(definitions.rbegin(), definitions.rend());
    all = LastOnes(definitions);
    for (Alternative& one : LastOnes(reversed)) all.push_back(std::move(one));
  }
  if (all.size() > 2 * kMaxMeanings) {
    plan_.too_many = true;
    all.resize(2 * kMaxMeanings);
  }
  return known->second = std::move(all);
}

// Returns which definitions can hold together; empty if there are more than kMaxMeanings
// combinations.
std::vector<UnitPlanner::Alternative> UnitPlanner::Combinations(
    const std::vector<DefinitionRef>& definitions) const {
  std::vector<Alternative> all{{Condition(), {}}};
  for (DefinitionRef ref : definitions) {
    const Condition when = index_.ConditionIn(unit_, ref);
    const std::vector<ForcedBranch> forced = WithParents(ref.file, index_.Definition(ref).branch);
    std::vector<Alternative> split;
    for (const Alternative& one : all) {
      Alternative with{one.when.And(when), one.forced};
      with.forced.insert(with.forced.end(), forced.begin(), forced.end());
      Alternative without{one.when.And(when.Not()), one.forced};
      if (with.when.CanBeTrue()) split.push_back(std::move(with));
      if (without.when.CanBeTrue()) split.push_back(std::move(without));
    }
    if (split.size() > kMaxMeanings) return {};
    all = std::move(split);
  }
  return all;
}

// Returns each definition with the condition that no later one holds.
std::vector<UnitPlanner::Alternative> UnitPlanner::LastOnes(
    const std::vector<DefinitionRef>& definitions) const {
  std::vector<Alternative> all;
  Condition rest;
  for (auto ref = definitions.rbegin(); ref != definitions.rend(); ++ref) {
    const Condition here = index_.ConditionIn(unit_, *ref);
    const Condition when = here.And(rest);
    if (!when.CanBeTrue()) continue;
    all.push_back({when, WithParents(ref->file, index_.Definition(*ref).branch)});
    rest = rest.And(here.Not());
  }
  if (rest.CanBeTrue()) all.push_back({rest, {}});
  return all;
}

void UnitPlanner::Need(const std::string& name) {
  const std::vector<DefinitionRef>& definitions = index_.Visible(name, unit_);
  if (definitions.empty()) return;
  for (std::size_t i = 0; i < definitions.size() && plan_.full_headers_reason.empty(); ++i) {
    if (index_.Definition(definitions[i]).undefines) {
      plan_.full_headers_reason = "a header undefines '" + name + "'";
    }
    Condition when = index_.ConditionIn(unit_, definitions[i]);
    for (std::size_t j = 0; j < i; ++j) {
      if (when.And(index_.ConditionIn(unit_, definitions[j])).CanBeTrue()) {
        plan_.full_headers_reason = "headers define '" + name + "' more than once";
      }
    }
  }
  if (BeforeUnit(name).size() > 1) varied_.insert(name);
  plan_.macros.push_back({name, definitions});
}

// Adds everything that the macros of the statements may expand to.
void UnitPlanner::Close(const Statements& statements) {
  for (const Statement& statement : statements.all) {
    for (const std::string& name : statement.identifiers) Ask(name);
    std::vector<std::string> glued;
    for (const std::string& name : statement.identifiers) {
      if (index_.PiecesIn(unit_).contains(name)) AddOfPiece(name, glued);
    }
    for (const std::string& name : glued) Ask(name);
  }
  while (!pending_.empty()) {
    const std::string& name = *pending_.back();
    pending_.pop_back();
    if (dialect_.IsSink(name)) continue;  // the scanner replaces its definition
    auto own = own_macros_.find(name);
    if (own == own_macros_.end() && index_.Visible(name, unit_).empty()) continue;  // not a macro
    if (own != own_macros_.end()) {
      for (int macro : own->second) {
        int branch = outline_.macros[macro].branch;
        if (branch == kNoBranch) continue;
        MarkGroup(branch);
        varied_.insert(name);
      }
    }
    Need(name);
    for (const std::string& other : Named(name)) Ask(other);
  }
}

const std::vector<int>& UnitPlanner::OwnMacros(const std::string& name) const {
  static const std::vector<int> none;
  auto own = own_macros_.find(name);
  return own == own_macros_.end() ? none : own->second;
}

std::vector<UnitPlanner::Alternative> UnitPlanner::Meanings(const std::string& name, Offset at,
                                                            const Condition& around) {
  std::vector<Alternative> meanings;
  std::vector<MacroEvent> events;
  for (int macro : OwnMacros(name)) {
    const MacroDefinition& own = outline_.macros[macro];
    events.push_back({own.offset, {index_.presence().Stack(unit_, own.branch), &own, unit_}});
  }
  for (const MacroState& state : StatesAt(events, at, around)) {
    if (state.macro != nullptr) {
      meanings.push_back({state.when, WithParents(unit_, state.macro->branch)});
      continue;
    }
    for (const Alternative& before : BeforeUnit(name)) {
      const Condition when = before.when.And(state.when);
      if (!before.forced.empty() || StatesOf(name).empty()) {
        meanings.push_back({when, before.forced});
        continue;
      }
      for (const ValueState& value : StatesOf(name)) {
        meanings.push_back({when.And(value.when), {}});
      }
    }
  }
  return meanings;
}

// The headers' definitions of names in relevant conditions are part of the unit's meaning, too.
void UnitPlanner::AskConditions() {
  std::vector<std::string> waiting;
  NameSet seen;
  auto add = [&](const std::string& name) {
    if (seen.insert(name).second) waiting.push_back(name);
  };
  for (int branch : plan_.branches) {
    for (const std::string& name : NamesIn(outline_.branches[branch].Expression())) add(name);
  }
  while (!waiting.empty()) {
    const std::string name = std::move(waiting.back());
    waiting.pop_back();
    for (const std::string& other : Named(name)) add(other);
    looked_up_.insert(kInCondition + name);  // also if undefined: a header may come to define it
    if (index_.Visible(name, unit_).empty()) continue;
    for (const MacroEvent& event : index_.presence().Events(unit_, name)) {
      for (const std::string& other : event.state.when.Macros()) add(other);
    }
  }
}

Digest MeaningDigest(const MacroIndex& index, int unit, const NameSet& leading,
                     const Outline& outline, const std::vector<std::string>& looked_up) {
  DigestBuilder digest;
  for (const std::string* name : index.Mentioned(outline, leading)) digest.Add(*name);
  for (const std::string& piece : index.PiecesIn(unit)) digest.Add("piece").Add(piece);
  for (const int table : index.Tables(unit, leading)) index.AddTable(table, leading, digest);
  index.AddUnsettledIncludes(unit, digest);
  index.AddFoundHeaders(unit, digest);
  auto leads = leading.begin();  // both are sorted
  for (const std::string& name : looked_up) {
    if (name.front() == kInCondition) {
      for (const MacroEvent& event : index.presence().Events(unit, name.substr(1))) {
        const MacroDefinition& macro = *event.state.macro;
        digest.Add(std::to_string(event.offset)).Add(std::to_string(event.state.when.hash()));
        digest.Add(macro.pops ? "pop" : macro.undefines ? "#undef" : macro.text);
      }
      continue;
    }
    if (name.front() == kLike) {
      const std::size_t middle = name.find(kLike, 1);
      for (const std::string& like :
           index.HeaderMacrosLike(name.substr(1, middle - 1), name.substr(middle + 1))) {
        if (!index.Visible(like, unit).empty()) digest.Add(like);
      }
      continue;
    }
    while (leads != leading.end() && *leads < name) ++leads;
    index.AddMeanings(name, unit, digest);
    digest.Add(leads != leading.end() && *leads == name ? "+" : "-");
    if (index.IsGivenByIncluder(name, unit)) digest.Add("given");
  }
  return digest.Finish();
}

}  // namespace opledger::scan
