// Infers the schema of an operator from the annotated Python function that implements it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "registry/python/python.h"
#include "registry/scan/facts/facts.h"

namespace opledger::scan {

// Returns fields such as inputs x = Tensor, out = Tensor(a0!), k = SymInt {default: 1}, and outputs
// = Tensor, as torch.library.infer_schema does for `function`. `mutated`: the parameters that the
// function writes to. Annotations that it does not support become "Any".
std::vector<FieldFact> SignatureFields(const PythonTree& tree, PythonId function,
                                       const std::set<std::string>& mutated);

}  // namespace opledger::scan
