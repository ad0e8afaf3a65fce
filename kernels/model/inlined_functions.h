// Functions that a model defines, written out where they are called, so that planning meets
// operators alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>

#include "conversion/model/onnx/onnx.h"

namespace opledger {

// Each node that calls a function gives way to copies of that function's nodes, which are named
// CALL/NODE; a call's attributes take the place of what the function refers to. `names` holds the
// new names as long as the graph. False, with an error: a function calls itself, or there are too
// many nodes.
bool ExpandFunctionCalls(OnnxModel& model, std::deque<std::string>& names,
                         Diagnostics& diagnostics);

}  // namespace opledger
