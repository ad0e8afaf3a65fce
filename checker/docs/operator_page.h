// What `opledger explain OPERATOR` prints: where it is registered, what is known of it, its policy
// in each list, and the evidence for each policy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checker/index/index.h"

namespace opledger {

// The lines of a terminal; nothing of what a manifest or a list says can be more than text in them.
std::string OperatorPage(const Operator& op, const CheckIndex& index, Diagnostics& diagnostics);

}  // namespace opledger
