// --opset: raises a model to a newer opset that computes the same. A model has one version of the
// default domain, and so has each function, so either all nodes can be raised or none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "conversion/model/files/edit_list.h"
#include "conversion/model/graph/signature.h"
#include "conversion/model/onnx/onnx.h"
#include "conversion/prepare/opset_steps.h"

namespace opledger {

struct RaisedOpset {
  std::optional<EditList> edits;  // nullopt: a node prevents it
  std::string obstacle;           // "Softmax node 'prob': its axis may not be the last one"
};

// Raises every node of the default domain, including subgraphs and functions, to opset `to`, and
// updates the imports. An attribute that became an input is written as a Constant before the node.
// Requires the types of all values (InferTypes).
RaisedOpset RaiseOpset(const OnnxModel& model, Signatures& signatures, const OpsetSteps& steps,
                       std::int64_t to);

}  // namespace opledger
