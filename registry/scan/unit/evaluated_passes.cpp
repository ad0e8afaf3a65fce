// Where no condition tells the passes apart as a name does, it hangs on several.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit/evaluated_passes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace opledger::scan {
namespace {

// Under which of the conditions exactly these passes come to it, as far as its place is reached.
std::optional<Condition> ConditionOf(const std::set<std::size_t>& found, const Condition& place,
                                     const std::vector<Pass>& passes,
                                     const std::vector<PassCondition>& conditions) {
  std::vector<std::size_t> reached;
  for (std::size_t pass = 0; pass < passes.size(); ++pass) {
    if (found.contains(pass) || place.Evaluate(passes[pass].defines)) reached.push_back(pass);
  }
  if (reached.size() == found.size()) return Condition();
  const auto tells = [&](const PassCondition& one) {
    return std::all_of(reached.begin(), reached.end(),
                       [&](std::size_t pass) { return one.holds[pass] == found.contains(pass); });
  };
  const auto known = std::find_if(conditions.begin(), conditions.end(), tells);
  return known == conditions.end() ? std::nullopt : std::optional(known->condition);
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
                  const std::vector<PassCondition>& conditions, Facts& facts) {
  struct Group {
    std::set<std::size_t> passes;
    std::vector<Registration> registrations;
  };
  using Key = std::tuple<Location, std::string, int>;
  std::map<Key, Group> groups;
  for (EvaluatedRegistration& one : evaluated) {
    const Registration& what = one.registration;
    Group& group = groups[{what.site.location, what.name, what.version}];
    group.passes.insert(one.pass);
    group.registrations.push_back(std::move(one.registration));
  }
  for (auto& [key, group] : groups) {
    Condition place = group.registrations.front().site.condition;
    for (const Registration& one : group.registrations) place = place.Or(one.site.condition);
    const auto when = ConditionOf(group.passes, place, passes, conditions);
    if (!when) {
      facts.incomplete.push_back(
          {std::get<Location>(key), "registration",
           "the name '" + std::get<std::string>(key) +
               "' hangs on several conditions at once, so others may be missing; register it under "
               "the conditions themselves"});
    }
    for (Registration& one : group.registrations) {
      Restrict(one, when.value_or(Condition()));
      facts.registrations.push_back(std::move(one));
    }
  }
}

}  // namespace opledger::scan
