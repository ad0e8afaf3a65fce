// The table of values.
// SPDX-License-Identifier: Apache-2.0
#include "checker/completion/option_values.h"

#include <algorithm>
#include <iterator>

#include "checker/commands/choices.h"
#include "checker/filter/severities.h"
#include "checker/reports/reports.h"
#include "checker/rules/rules.h"
#include "registry/dialect/dialect.h"

namespace opledger {
namespace {

std::vector<std::string> None() { return {}; }

// What help calls a value, and how it is completed.
struct NamedValue {
  const char* name;
  ValueSource source;
  std::vector<std::string> (*words)() = None;
  std::vector<std::string> (*values)() = None;
};

constexpr NamedValue kValues[] = {
    {"FILE", ValueSource::kFile},
    {"FILE|DIR", ValueSource::kFile},
    {"PATH", ValueSource::kFile},
    {"MODEL", ValueSource::kFile},
    {"FACTS", ValueSource::kFile},
    {"DIR", ValueSource::kFolder},
    {"BUILD", ValueSource::kFolder},
    {"NAME|FILE", ValueSource::kFile, ShippedDialects},
    {"FILE|DTYPE", ValueSource::kFile, TargetDtypes},
    {"PROFILE", ValueSource::kFile},
    {"PYTHON", ValueSource::kFile},
    {"RULE", ValueSource::kWords, RuleNames},
    {"RULE,RULE", ValueSource::kCommas, RuleNames},
    {"RULE=LEVEL", ValueSource::kPair, RuleNames, SeverityChoices},
    {"FMT[=FILE]", ValueSource::kWordOrFile, ReportFormatNames},
    {"OPERATOR", ValueSource::kOperator},
    {"REV", ValueSource::kRevision},
    {"SECOND", ValueSource::kFile},
    {"BASE", ValueSource::kRevision},
    {"HEAD", ValueSource::kRevision},
    {"E", ValueSource::kNothing},
    {"GLOB", ValueSource::kNothing},
    {"HOW", ValueSource::kNothing},
    {"K/N", ValueSource::kNothing},
    {"N", ValueSource::kNothing},
    {"NAME", ValueSource::kNothing},
    {"NAME=DTYPE", ValueSource::kNothing},
    {"NAME=FILE", ValueSource::kNamedFile},
    {"NAME=D,D", ValueSource::kNothing},
    {"NAME=POLICY", ValueSource::kNothing},
    {"NODE", ValueSource::kNothing},
    {"OP,OP", ValueSource::kNothing},
    {"REGEX", ValueSource::kNothing},
    {"SIZE", ValueSource::kNothing},
    {"TEMPLATE", ValueSource::kNothing},
    {"TEXT", ValueSource::kNothing},
    {"V,W", ValueSource::kNothing},
    {"X=Y", ValueSource::kNothing},
};

const NamedValue* FindValue(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kValues), std::end(kValues),
                                         [&](const NamedValue& each) { return each.name == name; });
  return found == std::end(kValues) ? nullptr : found;
}

}  // namespace

OptionValue ValueOf(const OptionSyntax& option) {
  if (!option.choices.empty()) return {ValueSource::kWords, option.choices, {}};
  const NamedValue* const named = FindValue(option.value);
  if (named == nullptr) return {};
  return {named->source, named->words(), named->values()};
}

}  // namespace opledger
