// Gives an operator a policy in a list that the framework keeps, by moving its row. This affects
// all precision lists that have the row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "checker/edit/classify.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

// The change that was made, and the lists that it affects.
struct ClassifiedRow {
  EntryChange change = EntryChange::kNone;
  bool lost_reason = false;
  std::set<std::string> paths;  // of the lists that have the row afterwards
};

// Returns whether the operator's entry is, or would be, a row of a list that the framework keeps.
bool IsKeptInRows(const PrecisionList& list, const std::string& op);

// Edits the source texts and the entries of `lists`; `path` is the list to change. Returns nullopt,
// with an error, if the rows are not literals or if a list that is not in `named` shares the row.
std::optional<ClassifiedRow> ClassifyRow(std::vector<PrecisionList>& lists, const std::string& path,
                                         const Classification& wanted,
                                         const std::set<std::string>& named,
                                         Diagnostics& diagnostics);

}  // namespace opledger
