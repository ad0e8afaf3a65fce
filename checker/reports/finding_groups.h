// Findings that are one to people: an operator that several lists miss, and operators that one
// macro registers and that nobody classified. Reports for programs keep them apart.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/findings/findings.h"
#include "registry/manifest/manifest.h"

namespace opledger {

struct FindingGroup {
  std::vector<const Finding*> findings;  // one at least; the first one's place is the group's
  std::vector<std::string> operators;    // several: shown as a table
  std::string macro;                     // that registers all of several operators
  std::string dialect = {};              // where the project has several

  const Finding& first() const { return *findings.front(); }
  bool is_table() const { return operators.size() > 1; }
};

// In the order of the first finding of each. They must outlive the groups. A manifest for each
// dialect that they are of.
std::vector<FindingGroup> GroupFindings(const std::vector<Finding>& findings,
                                        const std::vector<const Manifest*>& manifests);

// "operator 'probe' has no policy in lists 'float16' and 'bfloat16'"; of a table "59 operators that
// MACRO registers have no policy"; else the finding's own message.
std::string GroupMessage(const FindingGroup& group);

// "float16, bfloat16": the lists that miss the operator.
std::string ListsOf(const FindingGroup& group, const std::string& op);

// The command that classifies all of them: with names as long as they fit, else by a report.
std::string GroupCommand(const FindingGroup& group);

}  // namespace opledger
