// Lists of a framework that the revision compared with has and that cannot be found any more.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/index/index.h"
#include "checker/project/checked_project.h"

namespace opledger {

// A macro of rows, or a block of registrations, all of whose operators lost their policy was
// renamed, moved or emptied: its list is then incomplete. So is a list that the dialect found by
// itself and does not find any more. Adds what is so to the manifest's incomplete records.
void AddLostLists(const CheckIndex& before, CheckedProject& checked);

}  // namespace opledger
