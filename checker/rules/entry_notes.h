// Notes that several rules give about an entry of a list.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/index/index.h"

namespace opledger {

// Where the entry names its operator by an alias: a note at the alias's own place. Else nothing.
void AddAliasNote(const EntryUse& use, Finding& finding);

// "first here", "also here": a note at the entry, saying under which policy it stands.
void AddEntryNote(const EntryUse& use, const char* what, Finding& finding);

// Where the alias is given or, where a manifest does not say, where its operator is registered.
const Location& AliasPlace(const Operator& op, const Alias& alias);

}  // namespace opledger
