// Runs a float32 model in mixed precision without converting it: uses the labels and the placement
// of a conversion, and inserts the same casts. Outputs have the same bits as those of the converted
// model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conversion/model/onnx/onnx.h"
#include "conversion/place/place.h"
#include "kernels/bindings/mxnet/model.h"
#include "registry/text/dtype.h"

namespace opledger {

struct Autocast {
  Plan plan;
  Dtype target = Dtype::kFloat16;
  std::string changes_nothing;  // why no node runs in low precision; empty if some do
};

// Returns whether an input of a node takes the low-precision version of a value. Values that are
// not float32 have only one version.
bool TakesLow(const Autocast& autocast, NodeId node, std::size_t input, ValueId value);
// The same for an output of a graph.
bool OutputIsLow(const Autocast& autocast, ScopeId scope, std::size_t output, ValueId value);

}  // namespace opledger
