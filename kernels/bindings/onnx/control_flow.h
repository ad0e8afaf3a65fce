// Reads ONNX's control flow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "conversion/model/onnx/onnx.h"
#include "kernels/bindings/control_flow.h"
#include "kernels/control_flow/control_flow.h"

namespace opledger {

// Returns nullopt if the node has no inner graphs.
std::optional<ControlFlow> ReadOnnxControlFlow(const OnnxModel& model, NodeId id);

}  // namespace opledger
