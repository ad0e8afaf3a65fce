// Which findings count, and how much: severities and ignore rules of the project file, and
// --severity RULE=LEVEL above them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/finding.h"
#include "registry/project_file.h"

namespace opledger {

class Severities {
 public:
  // Takes what the project file says. An unknown rule or level, or an ignore rule without a reason
  // or without anything to go by, is an error.
  bool AddProject(const ProjectFile& project, Diagnostics& diagnostics);

  // Takes one --severity RULE=LEVEL; LEVEL is error, warning, note or off.
  bool AddFlag(std::string_view text, Diagnostics& diagnostics);

  // The rules for which a severity is set.
  std::set<std::string> Named() const;

  // Sets severities and takes out what is off or ignored. Gives how many an ignore rule took out.
  int Apply(std::vector<Finding>& findings) const;

  // Whether an ignore rule takes the finding out.
  bool Ignores(const Finding& finding) const;

 private:
  // No severity: off.
  std::map<std::string, std::optional<Severity>, std::less<>> levels_;
  std::vector<IgnoreRule> ignore_;
};

// "did you mean" for a rule's name, else where the names are.
std::string RuleHint(std::string_view name);

}  // namespace opledger
