// Runs the hazards of a model. `--hazards report` runs them on a copy of the labels.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/hazards/model_hazards.h"

#include <algorithm>

#include "conversion/hazards/hazards.h"
#include "conversion/model/half/half.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxWarnings = 20;

// Warns of nodes that options force low despite a hazard.
void WarnOfObeyed(const HazardContext& context, const ConvertOptions& options,
                  Diagnostics& diagnostics) {
  NodeId last = kNone;
  std::size_t shown = 0;
  for (const auto& [node, reason] : context.obeyed) {
    if (node == last || ++shown > kMaxWarnings) continue;
    last = node;
    diagnostics.Warning({.path = options.model},
                        NodeText(context.graph, node) + " runs in " + DtypeName(context.target) +
                            " as an option says, although " + reason,
                        "leave its operator out of --target-ops to keep it in float32");
  }
}

// Warns of the nodes that `--hazards raise` would keep in float32.
void ReportHazards(const Graph& graph, const ConvertOptions& options,
                   const std::vector<NodeLabel>& before, const std::vector<NodeLabel>& after,
                   Diagnostics& diagnostics) {
  std::size_t found = 0;
  for (NodeId id = 0; id < static_cast<NodeId>(after.size()); ++id) {
    if (MayBeLow(before[id]) == MayBeLow(after[id])) continue;
    if (++found > kMaxWarnings) continue;
    diagnostics.Warning(
        {.path = options.model},
        NodeText(graph, id) + ": hazard '" + RuleName(after[id].rule) + "': " + after[id].reason,
        "--hazards raise keeps it in float32");
  }
  if (found > kMaxWarnings) {
    diagnostics.Warning({.path = options.model},
                        std::to_string(found - kMaxWarnings) + " more nodes have hazards",
                        "--hazards raise keeps them in float32");
  }
}

// Returns nodes that may be low and read parameters with elements that would become zero.
std::vector<NodeId> ReadersOfRaised(const HazardContext& context) {
  std::vector<NodeId> readers;
  if (!context.raises_small) return readers;
  for (std::size_t id = 0; id < context.graph.values.size(); ++id) {
    const ParameterStatistics& numbers = context.statistics[id];
    const bool small = numbers.count != 0 &&
                       static_cast<double>(numbers.min_magnitude) <= LargestFlushed(context.target);
    if (!small) continue;
    for (const Use& use : context.graph.values[id].uses) {
      if (WouldCast(context.labels[use.node], static_cast<std::size_t>(use.input))) {
        readers.push_back(use.node);
      }
    }
  }
  std::sort(readers.begin(), readers.end());
  readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
  return readers;
}

}  // namespace

bool RaisesSmall(const ConvertOptions& options, Dtype target) {
  return options.RaisesSmall() && target == Dtype::kFloat16;
}

std::vector<NodeId> RaiseModelHazards(const KnownNumbers& numbers, Dtype target,
                                      const ConvertOptions& options, std::vector<NodeLabel>& labels,
                                      Diagnostics& diagnostics) {
  const Graph& graph = numbers.model.graph;
  HazardContext context{graph,         target, numbers.statistics,
                        numbers.model, labels, RaisesSmall(options, target)};
  const bool reports = options.hazards == "report";
  if (options.quantized_islands == "keep") RaiseIslands(context);
  const std::vector<NodeLabel> before = reports ? labels : std::vector<NodeLabel>();
  RaiseByHazards(context);
  if (!reports) {
    WarnOfObeyed(context, options, diagnostics);
    return ReadersOfRaised(context);
  }
  ReportHazards(graph, options, before, labels, diagnostics);
  labels = before;
  return {};
}

}  // namespace opledger
