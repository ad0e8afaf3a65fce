// The page of `opledger explain OPERATOR`: where the operator is registered, its facts, its policy
// in each list, and the evidence for each policy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checker/index/index.h"

namespace opledger {

// Returns text for a terminal. Text from manifest and lists is escaped.
std::string OperatorPage(const Operator& op, const CheckIndex& index, Diagnostics& diagnostics);

}  // namespace opledger
