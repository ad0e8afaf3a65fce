// A name depends on several conditions if no single one holds in exactly the passes that have the
// name.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit/evaluated_passes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace opledger::scan {
namespace {

// Returns which of the conditions hold in a pass.
std::vector<bool> StateOf(std::size_t pass, const std::vector<const PassCondition*>& conditions) {
  std::vector<bool> state;
  for (const PassCondition* one : conditions) state.push_back(one->holds[pass]);
  return state;
}

// Returns whether the conditions separate the passes that found the name from those that could
// have.
bool TellApart(const std::set<std::size_t>& found, const std::vector<std::size_t>& reached,
               const std::vector<const PassCondition*>& conditions) {
  std::map<std::vector<bool>, bool> states;
  return std::all_of(reached.begin(), reached.end(), [&](std::size_t pass) {
    const bool is_found = found.contains(pass);
    return states.emplace(StateOf(pass, conditions), is_found).first->second == is_found;
  });
}

// Combines the fewest conditions that separate the passes. Returns nullopt if the passes do not
// cover all states of these conditions.
std::optional<Condition> Together(const std::set<std::size_t>& found,
                                  const std::vector<std::size_t>& reached,
                                  const std::vector<PassCondition>& conditions,
                                  const Condition& possible) {
  std::vector<const PassCondition*> needed;
  for (const PassCondition& one : conditions) needed.push_back(&one);
  if (!TellApart(found, reached, needed)) return std::nullopt;
  std::set<std::string> macros;
  for (const PassCondition& one : conditions) macros.insert(one.macro);
  for (std::size_t i = conditions.size(); i-- > 0;) {
    // Remove all states of a macro or none.
    const std::string& macro = conditions[i].macro;
    if (!macro.empty() && macros.erase(macro) == 0) continue;
    std::vector<const PassCondition*> fewer = needed;
    std::erase_if(fewer, [&](const PassCondition* one) {
      return macro.empty() ? one == &conditions[i] : one->macro == macro;
    });
    if (TellApart(found, reached, fewer)) needed = std::move(fewer);
  }
  Condition when = Condition::Never();
  Condition seen = Condition::Never();
  for (const std::size_t pass : reached) {
    Condition here;
    Condition shown;
    std::set<std::string> told;  // macros whose state is stated
    for (const PassCondition* one : needed) {
      here = here.And(one->holds[pass] ? one->condition : one->condition.Not());
      if (one->holds[pass] && !one->macro.empty()) told.insert(one->macro);
    }
    for (const PassCondition* one : needed) {
      if (one->holds[pass]) shown = shown.And(one->shown);
      if (!one->holds[pass] && !told.contains(one->macro)) shown = shown.And(one->shown.Not());
    }
    seen = seen.Or(here);
    if (found.contains(pass)) when = when.Or(shown);
  }
  // A state without a pass could have this name or another one.
  return possible.Implies(seen) ? std::optional(when) : std::nullopt;
}

// Returns the passes in which the place is present.
std::vector<std::size_t> Reached(const std::set<std::size_t>& found, const Condition& place,
                                 const std::vector<Pass>& passes) {
  std::vector<std::size_t> reached;
  for (std::size_t pass = 0; pass < passes.size(); ++pass) {
    const bool there = passes[pass].exact && place.Evaluate(passes[pass].defines);
    if (found.contains(pass) || there) reached.push_back(pass);
  }
  return reached;
}

bool Tells(const PassCondition& one, const std::set<std::size_t>& found,
           const std::vector<std::size_t>& reached) {
  return std::all_of(reached.begin(), reached.end(),
                     [&](std::size_t pass) { return one.holds[pass] == found.contains(pass); });
}

// Returns whether more than one condition explains the passes.
bool SeveralTell(const std::set<std::size_t>& found, const Condition& place,
                 const std::vector<Pass>& passes, const std::vector<PassCondition>& conditions) {
  const std::vector<std::size_t> reached = Reached(found, place, passes);
  if (reached.size() == found.size()) return false;
  std::set<Condition> telling;
  for (const PassCondition& one : conditions) {
    if (Tells(one, found, reached)) telling.insert(one.condition);
  }
  return telling.size() > 1;
}

// Returns the condition under which exactly these passes find the name, among the passes that reach
// its place.
std::optional<Condition> ConditionOf(const std::set<std::size_t>& found, const Condition& place,
                                     const std::vector<Pass>& passes,
                                     const std::vector<PassCondition>& conditions,
                                     const Condition& possible) {
  const std::vector<std::size_t> reached = Reached(found, place, passes);
  if (reached.size() == found.size()) return Condition();
  const auto known = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const auto& one) { return Tells(one, found, reached); });
  if (known != conditions.end()) return known->shown;
  return Together(found, reached, conditions, possible.And(place));
}

void Restrict(Registration& registration, const Condition& when) {
  if (when.IsAlways()) return;
  registration.site.condition = registration.site.condition.And(when);
  for (Alias& alias : registration.aliases) alias.condition = alias.condition.And(when);
  for (FieldFact& field : registration.fields) {
    field.value.condition = field.value.condition.And(when);
  }
  for (MethodCall& call : registration.calls) call.condition = call.condition.And(when);
  for (Kernel& kernel : registration.kernels) kernel.condition = kernel.condition.And(when);
}

}  // namespace

void AddEvaluated(std::vector<EvaluatedRegistration> evaluated, const std::vector<Pass>& passes,
                  const ConditionsOfPasses& conditions, const Condition& possible, Facts& facts) {
  struct Group {
    std::set<std::size_t> passes;
    std::vector<Registration> registrations;
    std::optional<Location> place;
    int varied = -1;
  };
  using Key = std::tuple<Location, std::string, int>;
  std::map<Key, Group> groups;
  for (EvaluatedRegistration& one : evaluated) {
    const Registration& what = one.registration;
    Group& group = groups[{what.site.location, what.name, what.version}];
    group.passes.insert(one.pass);
    if (one.place) group.place = one.place;
    group.varied = std::max(group.varied, one.varied);
    group.registrations.push_back(std::move(one.registration));
  }
  for (auto& [key, group] : groups) {
    Condition around = group.registrations.front().site.condition;
    for (const Registration& one : group.registrations) around = around.Or(one.site.condition);
    std::optional<Condition> when;
    if (group.place && conditions.of_place.contains(*group.place)) {
      when =
          ConditionOf(group.passes, around, passes, conditions.of_place.at(*group.place), possible);
    }
    bool ambiguous = false;
    if (!when) {
      const std::vector<PassCondition>& all =
          group.place         ? conditions.any
          : group.varied >= 0 ? conditions.varied[static_cast<std::size_t>(group.varied)]
                              : conditions.constants;
      ambiguous = !conditions.combined && SeveralTell(group.passes, around, passes, all);
      when = ConditionOf(group.passes, around, passes, all, possible);
    }
    if ((!when && group.place) || ambiguous) {
      facts.incomplete.push_back({std::get<Location>(key), "registration",
                                  "the name '" + std::get<std::string>(key) +
                                      "' depends on several conditions at once, so other names may "
                                      "be missing; register it under the conditions themselves"});
    }
    for (Registration& one : group.registrations) {
      Restrict(one, when.value_or(Condition()));
      facts.registrations.push_back(std::move(one));
    }
  }
}

}  // namespace opledger::scan
