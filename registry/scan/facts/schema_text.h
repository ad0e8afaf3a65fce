// Operator schemas as texts: "add.out(Tensor self, *, Tensor(a!) out, int[2] dim=0) -> Tensor(a!)".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/scan/facts/facts.h"

namespace opledger::scan {

// "add.out": up to the '(' and without blanks around; a namespace is part of it.
std::string SchemaName(std::string_view schema);

// inputs self = Tensor, out = Tensor(a!), dim = int[2] {default: 0}; outputs = Tensor(a!)
std::vector<FieldFact> SchemaFields(std::string_view schema);

}  // namespace opledger::scan
