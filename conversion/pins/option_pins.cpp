// Whether a node's parameters are worth a conversion.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/pins/option_pins.h"

#include "conversion/pins/pins.h"

namespace opledger {

void PinSmallParameters(const Graph& graph, std::uint64_t elements,
                        std::vector<NodeLabel>& labels) {
  for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
    if (labels[id].label != Label::kLow) continue;
    bool any = false;
    std::uint64_t sum = 0;
    const std::vector<ValueId>& inputs = graph.nodes[id].inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == kNone || !WouldCast(labels[id], i)) continue;
      if (!IsParameter(graph, graph.values[inputs[i]])) continue;
      const TensorId tensor = ParameterTensor(graph, graph.values[inputs[i]]);
      if (tensor == kNone) continue;
      any = true;
      if (__builtin_add_overflow(sum, graph.tensors[tensor].elements, &sum)) sum = elements;
    }
    if (!any || sum >= elements) continue;
    PinNode(labels[id], "min-elements",
            "its parameters have " + std::to_string(sum) + (sum == 1 ? " number" : " numbers"));
  }
}

void PinByOptions(const Graph& graph, const ConvertOptions& options,
                  std::vector<NodeLabel>& labels) {
  if (options.min_elements > 0) PinSmallParameters(graph, options.min_elements, labels);
  if (options.taint) TaintDownstream(graph, labels);
}

}  // namespace opledger
