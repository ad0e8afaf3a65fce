// Severities and ignore rules from the project file, overridden by --severity RULE=LEVEL, --select
// and --ignore.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checker/findings/findings.h"
#include "registry/project/project.h"

namespace opledger {

class Severities {
 public:
  // Adds the settings of the project file. Reports an error for an unknown rule or level, and for
  // an ignore rule without a reason or without a condition.
  bool AddProject(const ProjectFile& project, Diagnostics& diagnostics);

  // Adds one --severity RULE=LEVEL. LEVEL is error, warning, note or off.
  bool AddFlag(std::string_view text, Diagnostics& diagnostics);

  // --select counts findings of these rules only; --ignore counts none of these rules. Return
  // false, with an error, if a rule is unknown.
  bool Select(const std::vector<std::string>& rules, Diagnostics& diagnostics);
  bool Ignore(const std::vector<std::string>& rules, Diagnostics& diagnostics);

  // Returns the rules whose severity is set or that are selected.
  std::set<std::string> Named() const;

  // Sets the severity of the finding. Returns false if its rule is off.
  bool ApplySeverity(Finding& finding) const;

  // Returns the first ignore rule that matches the finding, or nullptr.
  const IgnoreRule* Ignoring(const Finding& finding) const;

 private:
  // nullopt: off.
  std::map<std::string, std::optional<Severity>, std::less<>> levels_;
  std::vector<IgnoreRule> ignore_;
  // Indices into ignore_: rules with an operator's name, and all others. A project may have
  // thousands.
  std::unordered_map<std::string, std::vector<std::size_t>> ignored_operators_;
  std::vector<std::size_t> ignored_patterns_;
  std::set<std::string> selected_;  // empty: all rules
};

// Returns the levels of a rule, including "off".
std::vector<std::string> SeverityChoices();

// Returns "did you mean ..." for the name of a rule, otherwise how to list the rules.
std::string RuleHint(std::string_view name);

}  // namespace opledger
