// Finds a framework's own lists that exist in the revision compared with, but are lost now.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/index/index.h"
#include "checker/project/checked_project.h"

namespace opledger {

// Adds lost lists to the manifest's incomplete records. A framework's list is lost if all or most
// of its rows are missing at once: it was renamed, moved or emptied, or is only partly read. A list
// that the dialect found in the revision but does not find now is lost, too.
void AddLostLists(const CheckIndex& before, CheckedProject& checked);

}  // namespace opledger
