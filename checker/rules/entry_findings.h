// Operators where a list gives them their policy: for rules that ask whether it suits them.
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

// A finding about the operator, at its entry.
Finding& AddAtEntry(const ListIndex& list, const EntryUse& use, std::string message,
                    std::vector<Finding>& findings);

// Points from the finding at a kernel, where it is known where that is registered.
void RelateKernel(const Kernel& kernel, const char* what, Finding& finding);

}  // namespace opledger
