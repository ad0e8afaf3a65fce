// --opset: a model of a newer opset that computes the same. ONNX has one version of the default
// domain for a model, and one for each of its functions, so all nodes follow or none does.
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
  std::optional<EditList> edits;  // none: a node is in the way
  std::string obstacle;           // "Softmax node 'prob': its axis may not be the last one"
};

// Brings every node of the default domain, in subgraphs and functions too, to opset `to`, and says
// so in the model. What was an attribute and is an input now comes from a Constant before the node.
// The types of all values are known (InferTypes).
RaisedOpset RaiseOpset(const OnnxModel& model, Signatures& signatures, const OpsetSteps& steps,
                       std::int64_t to);

}  // namespace opledger
