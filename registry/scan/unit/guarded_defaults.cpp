// Ignores defaults that are not numbers or are under other conditions, since they do not determine
// the macro's value.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit/guarded_defaults.h"

#include <set>

#include "registry/scan/preprocess/read_again.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

void CollectMacros(const Condition& condition, std::set<Condition>& seen,
                   std::set<std::string>& macros) {
  if (condition.IsAlways() || !seen.insert(condition).second) return;
  macros.merge(condition.Macros());
}

std::set<std::string> MacrosIn(const Facts& facts) {
  std::set<Condition> seen;
  std::set<std::string> macros;
  for (const Registration& registration : facts.registrations) {
    CollectMacros(registration.site.condition, seen, macros);
    for (const Alias& alias : registration.aliases) CollectMacros(alias.condition, seen, macros);
    for (const FieldFact& fact : registration.fields) {
      CollectMacros(fact.value.condition, seen, macros);
    }
    for (const MethodCall& call : registration.calls) CollectMacros(call.condition, seen, macros);
    for (const Kernel& kernel : registration.kernels) CollectMacros(kernel.condition, seen, macros);
  }
  return macros;
}

bool IsNumberByDefault(const Outline& outline, const MacroDefinition& macro) {
  if (macro.undefines || macro.branch == kNoBranch) return false;
  const Branch& branch = outline.branches[macro.branch];
  const bool outside =
      branch.parent == kNoBranch || (outline.branches[branch.parent].guard &&
                                     outline.branches[branch.parent].parent == kNoBranch);
  const std::string_view body = std::string_view(macro.text).substr(macro.name.size());
  return outside && branch.previous == kNoBranch &&
         branch.Expression() == "!defined(" + macro.name + ")" &&
         body.find_first_not_of(" \t0123456789") == std::string_view::npos;
}

}  // namespace

const Location& GuardedDefaults::PlaceOf(DefinitionRef ref) {
  auto [known, fresh] = places_.try_emplace({ref.file, ref.macro});
  if (fresh) {
    const SourceFile& source = tree_.files()[ref.file];
    const MacroDefinition& macro = source.outline.macros[ref.macro];
    const auto [line, column] = LineIndex(ReadAgain(tree_, ref.file)).At(macro.offset);
    const int length = static_cast<int>(macro.name.size());
    known->second = {source.path, line, column, line, column + length};
  }
  return known->second;
}

void GuardedDefaults::Add(DefinitionRef ref, Facts& facts) {
  const Outline& outline = tree_.files()[ref.file].outline;
  const MacroDefinition& macro = outline.macros[ref.macro];
  if (IsNumberByDefault(outline, macro)) facts.defaults.push_back({macro.name, PlaceOf(ref)});
}

void GuardedDefaults::AddTo(Facts& facts, int unit) {
  const Outline& own = tree_.files()[unit].outline;
  for (const std::string& name : MacrosIn(facts)) {
    for (int macro = 0; macro < static_cast<int>(own.macros.size()); ++macro) {
      if (own.macros[macro].name == name) Add({unit, macro}, facts);
    }
    for (DefinitionRef ref : index_.Visible(name, unit)) Add(ref, facts);
  }
}

}  // namespace opledger::scan
