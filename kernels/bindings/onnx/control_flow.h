// ONNX's control flow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "conversion/model/onnx/onnx.h"
#include "kernels/bindings/control_flow.h"
#include "kernels/control_flow/control_flow.h"

namespace opledger {

// None: the node runs no graphs of its own.
std::optional<ControlFlow> ReadOnnxControlFlow(const OnnxModel& model, NodeId id);

}  // namespace opledger
