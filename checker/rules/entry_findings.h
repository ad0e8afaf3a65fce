// Shared by rules about entries of lists: visits listed operators, adds findings and notes at
// entries, and compares two lists.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "checker/index/index.h"

namespace opledger {

// Calls `visit` for the first entry of each operator in each list. `use.op` is never nullptr.
void ForEachListedOperator(
    const CheckIndex& index,
    const std::function<void(const ListIndex& list, const EntryUse& use)>& visit);

// Adds a finding about the operator in the list at this place.
Finding& AddAt(const Location& place, const std::string& op, const ListIndex& list,
               std::string message, std::vector<Finding>& findings);

// Adds a finding about the operator at its entry.
Finding& AddAtEntry(const ListIndex& list, const EntryUse& use, std::string message,
                    std::vector<Finding>& findings);

// Returns whether both entries can apply in one build. Rows of a framework's own list may have
// conditions that exclude each other.
bool CanHoldTogether(const ListEntry& one, const ListEntry& other);

// Adds a note at the place where a kernel is registered, if that is known.
void RelateKernel(const Kernel& kernel, const char* what, Finding& finding);

// If the entry names its operator by an alias, adds a note at the alias.
void AddAliasNote(const EntryUse& use, Finding& finding);

// Adds a note at the entry, such as "first here, under 'fp32'".
void AddEntryNote(const EntryUse& use, const char* what, Finding& finding);

// Returns the place of the alias or, if the manifest does not have it, that of the registration.
const Location& AliasPlace(const Operator& op, const Alias& alias);

// Returns "list 'a'" or "lists 'a', 'b'".
std::string ListsText(const std::vector<std::string>& labels);

// Adds a finding at `second`'s entry for every operator that both lists have under different
// policies. It is a warning if the revision compared with has the operator in both lists under the
// same policy and neither entry has a new reason, otherwise a note.
void CompareLists(const CheckIndex& index, const ListIndex& first, const ListIndex& second,
                  std::vector<Finding>& findings);

// Returns whether the entry has a reason or note that the revision compared with does not have.
bool HasNewReason(const CheckIndex& index, const ListIndex& list, const EntryUse& use);

}  // namespace opledger
