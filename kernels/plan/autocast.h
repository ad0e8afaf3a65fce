// A float32 model run by the lists, without converting it: the labels and the placement of a
// conversion, and casts where it would put them. What comes out is what the converted model gives,
// bit for bit.
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
  std::string changes_nothing;  // why no node runs low; empty: some do
};

// Which version of a value a node's input takes: the low one, or the float32 one. Values that are
// no float32 have one version only.
bool TakesLow(const Autocast& autocast, NodeId node, std::size_t input, ValueId value);
// The same of an output of a graph.
bool OutputIsLow(const Autocast& autocast, ScopeId scope, std::size_t output, ValueId value);

}  // namespace opledger
