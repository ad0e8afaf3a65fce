// Joins findings at a place in a framework's own file that several lists are derived from.
//   _(sofplus) \   entry 'aten::sofplus' of lists 'float16-cuda', 'float16-xpu' names no ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "checker/findings/findings.h"
#include "checker/index/index.h"

namespace opledger {

// `findings` are sorted by place, rule, operator and list. Keeps the first of equal ones, with the
// names of all their lists.
void JoinLists(const CheckIndex& index, std::vector<Finding>& findings);

}  // namespace opledger
