// Operators to which two lists give different policies: for rules that compare lists.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/index/index.h"

namespace opledger {

// Adds a finding at `second`'s entry for every operator that both lists name, under different
// policies.
void CompareLists(const ListIndex& first, const ListIndex& second, std::vector<Finding>& findings);

}  // namespace opledger
