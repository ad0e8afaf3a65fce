// Reads operator schemas: "add.out(Tensor self, *, Tensor(a!) out, int[2] dim=0) -> Tensor(a!)".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/scan/facts/facts.h"

namespace opledger::scan {

// Returns "add.out": the text before the '(', trimmed, including the namespace.
std::string SchemaName(std::string_view schema);

// Returns inputs self = Tensor, out = Tensor(a!), dim = int[2] {default: 0}; outputs = Tensor(a!)
std::vector<FieldFact> SchemaFields(std::string_view schema);

}  // namespace opledger::scan
