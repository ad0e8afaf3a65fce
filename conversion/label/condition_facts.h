// Facts for the conditions of a list that the graph does not hold: list attributes and shapes.
// place/label_onnx.h and place/place_mxnet.h collect them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conversion/model/graph/graph.h"
#include "conversion/model/graph/signature.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

using KnownDimensions =
    std::vector<std::optional<std::int64_t>>;  // nullopt: unknown or not constant

struct ConditionFacts {
  std::map<std::pair<NodeId, std::string>, std::string> lists;  // "[3, 3]", by attribute
  // Per value; empty if no condition reads dimensions.
  std::vector<std::optional<KnownDimensions>> dimensions;
  std::vector<bool> initializers;  // per value; empty if no condition reads them
};

// The operators whose policy depends on a condition, and whether any condition reads an input.
struct AskedFacts {
  std::vector<std::string> operators;  // sorted
  bool inputs = false;

  explicit AskedFacts(const PrecisionList& list);
  bool Asks(const Node& node) const;
};

// Returns an attribute's number or string as text for conditions, or an empty string for other
// kinds.
std::string AttributeText(const Attribute& attribute);

// `signature` and `facts` may be nullptr.
NodeFacts FactsOf(const Graph& graph, NodeId node, const Signature* signature,
                  const ConditionFacts* facts);

}  // namespace opledger
