// Recognizes operators by their names in ONNX and com.microsoft.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/label/quantised_nodes.h"

#include <map>

#include "registry/text/text.h"

namespace opledger {
namespace {

// DynamicQuantizeLinear, and the operators that com.microsoft fuses with it.
bool IsQuantisedAsItRuns(std::string_view op) {
  return op.starts_with("DynamicQuantize") || op.ends_with("IntegerToFloat");
}

}  // namespace

std::string QuantisedAdvice(const Graph& graph, const std::vector<NodeLabel>& labels) {
  std::map<std::string_view, std::size_t> counts;
  std::size_t islands = 0;
  for (std::size_t id = 0; id < labels.size(); ++id) {
    if (labels[id].rule == LabelRule::kQuantizedIsland) ++islands;
    const bool kept = labels[id].label == Label::kFp32 || labels[id].label == Label::kFixed;
    if (kept && IsQuantisedAsItRuns(graph.nodes[id].op)) ++counts[graph.nodes[id].op];
  }
  std::string text;
  for (const auto& [op, count] : counts) {
    text += "  " + std::string(op) + ": " + Counted(count, "node") + ", quantized at run time, " +
            (count == 1 ? "stays" : "stay") + " as " + (count == 1 ? "it is" : "they are") + "\n";
  }
  if (islands != 0) {
    text += "  " + Counted(islands, "node") + " between quantized values " +
            (islands == 1 ? "stays" : "stay") +
            " in float32; --quantized-islands convert follows the list\n";
  }
  return text;
}

}  // namespace opledger
