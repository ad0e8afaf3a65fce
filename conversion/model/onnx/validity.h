// Whether every node of a model is one that ONNX defines: its inputs, its outputs, its attributes.
// What a reader finds by itself (names, order, declarations) stands in OnnxModel::problems, what
// types say in Typing::problems.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conversion/model/graph/types.h"
#include "conversion/model/onnx/onnx.h"

namespace opledger {

// Of operators of ONNX's own domains. Where a node's operator is unknown, nothing is.
std::vector<TypeProblem> FindInvalidNodes(const OnnxModel& model, const Typing& typing);

}  // namespace opledger
