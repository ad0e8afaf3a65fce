// Groups findings that belong together for readers: an operator without an entry in several lists,
// and unclassified operators that one macro registers. Reports for programs do not group.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/findings/findings.h"
#include "registry/manifest/manifest.h"

namespace opledger {

struct FindingGroup {
  std::vector<const Finding*> findings;  // at least one; the first gives the place of the group
  std::vector<std::string> operators;    // if several, shown as a table
  std::string macro;                     // registers all operators of a table
  std::string dialect = {};              // set if the project has several

  const Finding& first() const { return *findings.front(); }
  bool is_table() const { return operators.size() > 1; }
};

// Returns groups in the order of their first findings, which must outlive the groups. `manifests`
// has one for each dialect of the findings.
std::vector<FindingGroup> GroupFindings(const std::vector<Finding>& findings,
                                        const std::vector<const Manifest*>& manifests);

// Returns "operator 'probe' has no policy in lists 'float16' and 'bfloat16'", "59 operators that
// MACRO registers have no policy" for a table, or the message of a single finding.
std::string GroupMessage(const FindingGroup& group);

// Returns the lists without an entry for the operator, such as "float16, bfloat16".
std::string ListsOf(const FindingGroup& group, const std::string& op);

// Returns a command that classifies all of them: by name if there are few, otherwise by a report.
std::string GroupCommand(const FindingGroup& group);

}  // namespace opledger
