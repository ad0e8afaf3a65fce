// Lists of a framework that the revision compared with has and that cannot be found any more.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/index/index.h"
#include "checker/project/checked_project.h"

namespace opledger {

// A list of the framework that lost all or most of its rows at once was renamed, moved, emptied or
// is read in part: the list made of it is then incomplete. So is a list that the dialect found by
// itself and does not find any more. Adds what is so to the manifest's incomplete records.
void AddLostLists(const CheckIndex& before, CheckedProject& checked);

}  // namespace opledger
