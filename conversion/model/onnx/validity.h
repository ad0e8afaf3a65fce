// Checks that every node of a model conforms to ONNX: its inputs, outputs and attributes. The
// reader checks names, order and declarations (OnnxModel::problems); typing checks types
// (Typing::problems).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/model/graph/types.h"
#include "conversion/model/onnx/onnx.h"

namespace opledger {

// Checks operators of ONNX's own domains. Skips nodes whose operator is unknown.
std::vector<TypeProblem> FindInvalidNodes(const OnnxModel& model, const Typing& typing);

}  // namespace opledger
