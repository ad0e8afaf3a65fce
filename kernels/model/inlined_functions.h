// Inlines functions that a model defines, so that the planner sees only operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>

#include "conversion/model/onnx/onnx.h"

namespace opledger {

// Replaces each node that calls a function by copies of the function's nodes, named CALL/NODE; the
// call's attributes replace the references in the function. `names` owns the new names and must
// outlive the graph. Returns false, with an error, if a function calls itself or there are too many
// nodes.
bool ExpandFunctionCalls(OnnxModel& model, std::deque<std::string>& names,
                         Diagnostics& diagnostics);

}  // namespace opledger
