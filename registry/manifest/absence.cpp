// Explains why operators are absent from a build. The value of a macro comes from the
// configuration, then from its default in the sources, then from the compiler.
// SPDX-License-Identifier: Apache-2.0
#include "registry/manifest/absence.h"

#include <algorithm>

#include "registry/text/text.h"

namespace opledger {
namespace {

std::string PlaceText(const Location& location) {
  return location.path + ":" + std::to_string(location.line);
}

// Describes the value of a macro; empty if the configuration leaves it open.
std::string WhatIsKnown(const std::string& macro, const Manifest& manifest,
                        const Configuration& configuration) {
  if (const auto define = configuration.defines.find(macro);
      define != configuration.defines.end()) {
    return macro + (define->second.empty() ? " is defined" : " is " + define->second);
  }
  if (configuration.undefined.contains(macro)) return macro + " is not defined";
  const auto by_default = std::find_if(manifest.defaults.begin(), manifest.defaults.end(),
                                       [&](const MacroDefault& of) { return of.macro == macro; });
  if (by_default != manifest.defaults.end()) {
    return macro + " is not defined by default (" + PlaceText(by_default->location) + ")";
  }
  const Condition defined = Condition::Defined(macro);
  switch (defined.AnswerIn(configuration, "")) {
    case ConditionAnswer::kFalse:
      return macro + " is not defined by g++ or nvcc on Linux";
    case ConditionAnswer::kTrue:
      return macro + " is defined by g++ and nvcc on Linux";
    case ConditionAnswer::kOpen:
      break;
  }
  return {};
}

}  // namespace

std::string WhyNot(const Condition& condition, const Manifest& manifest,
                   const std::string& configuration) {
  const auto known = manifest.configurations.find(configuration);
  if (known == manifest.configurations.end()) return {};
  std::vector<std::string> all;
  for (const std::string& macro : condition.Macros()) {
    std::string one = WhatIsKnown(macro, manifest, known->second);
    if (!one.empty()) all.push_back(std::move(one));
  }
  return Join(all, ", ");
}

std::string AbsenceLine(const AbsentOperator& absent, const Manifest& manifest,
                        const std::string& configuration) {
  const std::string why = WhyNot(absent.condition, manifest, configuration);
  return Printable(absent.name + " (" + PlaceText(absent.location) + "): if " +
                   absent.condition.text() + (why.empty() ? "" : "; " + why));
}

std::vector<AbsentOperator> AbsentFrom(const Manifest& manifest, const Configuration& known) {
  std::vector<AbsentOperator> absent;
  for (const Operator& op : manifest.operators) {
    if (!op.exempt.empty() || op.sites.empty() || !op.CanExist() || op.ExistsIn(known)) continue;
    absent.push_back({op.name, op.sites.front().location, op.sites.front().condition});
  }
  return absent;
}

std::string AbsentCount(std::size_t count, std::string_view configuration) {
  return Counted(count, "operator") + (count == 1 ? " is" : " are") + " not in configuration '" +
         std::string(configuration) + "'";
}

}  // namespace opledger
