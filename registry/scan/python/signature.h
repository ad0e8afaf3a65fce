// The schema of an operator that a Python function with annotations implements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "registry/python/python.h"
#include "registry/scan/facts/facts.h"

namespace opledger::scan {

// inputs x = Tensor, out = Tensor(a0!), k = SymInt {default: 1}; outputs = Tensor, as
// torch.library.infer_schema makes them of `function`. `mutated`: the parameters that the function
// writes to. What an annotation means that is not known there is "Any".
std::vector<FieldFact> SignatureFields(const PythonTree& tree, PythonId function,
                                       const std::set<std::string>& mutated);

}  // namespace opledger::scan
