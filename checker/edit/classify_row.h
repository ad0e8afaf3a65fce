// Giving an operator a policy in a list that the framework keeps: its row moves, for all precision
// lists that have it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "checker/edit/classify.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

// What was done, and in which lists.
struct ClassifiedRow {
  EntryChange change = EntryChange::kNone;
  bool lost_reason = false;
  std::set<std::string> paths;  // of the lists that have the row now
};

// Whether the list's entries for the operator are rows of the framework's lists, or would be.
bool IsKeptInRows(const PrecisionList& list, const std::string& op);

// Edits the texts of files that the lists have, and their entries; `path` is that of the list.
// None, with an error, where the rows are no literals, or belong to a list that is not `named`.
std::optional<ClassifiedRow> ClassifyRow(std::vector<PrecisionList>& lists, const std::string& path,
                                         const Classification& wanted,
                                         const std::set<std::string>& named,
                                         Diagnostics& diagnostics);

}  // namespace opledger
