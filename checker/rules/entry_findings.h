// What several rules find of a list's entries: the operators that they name, findings and notes at
// them, entries that two lists contradict each other by.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "checker/index/index.h"

namespace opledger {

// Calls `visit` for the first entry of each operator in each list; its `op` is never nullptr.
void ForEachListedOperator(
    const CheckIndex& index,
    const std::function<void(const ListIndex& list, const EntryUse& use)>& visit);

// A finding about the operator in the list, at this place.
Finding& AddAt(const Location& place, const std::string& op, const ListIndex& list,
               std::string message, std::vector<Finding>& findings);

// A finding about the operator, at its entry.
Finding& AddAtEntry(const ListIndex& list, const EntryUse& use, std::string message,
                    std::vector<Finding>& findings);

// Whether some build has both entries: rows of a framework's own list may exclude each other.
bool CanHoldTogether(const ListEntry& one, const ListEntry& other);

// Points from the finding at a kernel, where it is known where that is registered.
void RelateKernel(const Kernel& kernel, const char* what, Finding& finding);

// Where the entry names its operator by an alias: a note at the alias's own place. Else nothing.
void AddAliasNote(const EntryUse& use, Finding& finding);

// "first here", "also here": a note at the entry, saying under which policy it stands.
void AddEntryNote(const EntryUse& use, const char* what, Finding& finding);

// Where the alias is given or, where a manifest does not say, where its operator is registered.
const Location& AliasPlace(const Operator& op, const Alias& alias);

// "list 'a'", or "lists 'a', 'b'".
std::string ListsText(const std::vector<std::string>& labels);

// Adds a finding at `second`'s entry for every operator that both lists name, under different
// policies: a warning where the revision compared with has both entries with other policies, and
// neither has a new reason; else a note.
void CompareLists(const CheckIndex& index, const ListIndex& first, const ListIndex& second,
                  std::vector<Finding>& findings);

// Whether the entry's reason or note is not that of the revision compared with.
bool HasNewReason(const CheckIndex& index, const ListIndex& list, const EntryUse& use);

}  // namespace opledger
