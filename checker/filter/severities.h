// Which findings count, and how much: severities and ignore rules of the project file, and
// --severity RULE=LEVEL above them.
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
  // Takes what the project file says. An unknown rule or level, or an ignore rule without a reason
  // or without anything to go by, is an error.
  bool AddProject(const ProjectFile& project, Diagnostics& diagnostics);

  // Takes one --severity RULE=LEVEL; LEVEL is error, warning, note or off.
  bool AddFlag(std::string_view text, Diagnostics& diagnostics);

  // Takes --select RULE[,RULE] (nothing but these rules counts) and --ignore RULE[,RULE].
  bool Select(const std::vector<std::string>& rules, Diagnostics& diagnostics);
  bool Ignore(const std::vector<std::string>& rules, Diagnostics& diagnostics);

  // The rules for which a severity is set, or which are selected.
  std::set<std::string> Named() const;

  // Gives the finding its severity; false where its rule is off.
  bool ApplySeverity(Finding& finding) const;

  // The ignore rule that takes the finding out, or nullptr.
  const IgnoreRule* Ignoring(const Finding& finding) const;

 private:
  // No severity: off.
  std::map<std::string, std::optional<Severity>, std::less<>> levels_;
  std::vector<IgnoreRule> ignore_;
  // Places in it: of rules that name one operator, and of all others. A project may name thousands.
  std::unordered_map<std::string, std::vector<std::size_t>> ignored_operators_;
  std::vector<std::size_t> ignored_patterns_;
  std::set<std::string> selected_;  // empty: all
};

// The levels of a rule, "off" among them.
std::vector<std::string> SeverityChoices();

// "did you mean" for a rule's name, else where the names are.
std::string RuleHint(std::string_view name);

}  // namespace opledger
