// Each parameter that some node would cast is read once.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/weights.h"

#include <algorithm>

#include "conversion/model/half.h"
#include "conversion/plan.h"

namespace opledger {
namespace {

// Whether the node would cast this input of it.
bool WouldCast(const NodeLabel& label, const Use& use) {
  const bool low =
      label.label == Label::kLow || label.label == Label::kFree || label.label == Label::kWidest;
  return low && label.ports.inputs[static_cast<std::size_t>(use.input)];
}

// How many of the numbers a Constant gives in its attributes overflow.
std::size_t OverflowingAttributes(const Graph& graph, const Value& value, Dtype target) {
  if (value.producer == kNone) return 0;
  const Attribute* attribute = graph.nodes[value.producer].Find("value_float");
  if (attribute == nullptr) return 0;
  return CountOverflowing(reinterpret_cast<const char*>(&attribute->number), 1, target);
}

}  // namespace

bool PinByWeights(const OnnxModel& model, Dtype target, TensorData& data,
                  std::vector<NodeLabel>& labels, Diagnostics& diagnostics) {
  const Graph& graph = model.graph;
  for (const Value& value : graph.values) {
    if (!value.type.IsTensorOf(Dtype::kFloat32) || !IsParameter(graph, value)) continue;
    const bool cast = std::any_of(value.uses.begin(), value.uses.end(),
                                  [&](const Use& use) { return WouldCast(labels[use.node], use); });
    if (!cast) continue;
    std::size_t overflowing = OverflowingAttributes(graph, value, target);
    if (const TensorId tensor = ParameterTensor(graph, value); tensor != kNone) {
      if (!data.Check(tensor, diagnostics)) return false;
      data.ForEach(tensor, [&](const char* numbers, std::size_t count) {
        overflowing += CountOverflowing(numbers, count, target);
        return true;
      });
    }
    if (overflowing == 0) continue;
    for (const Use& use : value.uses) {
      NodeLabel& label = labels[use.node];
      if (!WouldCast(label, use)) continue;
      label.label = Label::kFp32;
      label.rule = "weights";
      label.reason = "'" + std::string(value.name) + "' has " + std::to_string(overflowing) +
                     (overflowing == 1 ? " number" : " numbers") + " beyond " + DtypeName(target);
    }
  }
  return true;
}

std::optional<RoundingStatistics> ParameterRounding(const OnnxModel& model, ValueId value,
                                                    Dtype target, TensorData& data) {
  const Value& parameter = model.graph.values[value];
  RoundingStatistics statistics;
  const TensorId tensor = ParameterTensor(model.graph, parameter);
  if (tensor != kNone) {
    Diagnostics checked;
    if (!data.Check(tensor, checked)) return std::nullopt;
    data.ForEach(tensor, [&](const char* numbers, std::size_t count) {
      statistics.Add(numbers, count, target);
      return true;
    });
    return statistics;
  }
  if (parameter.producer == kNone) return std::nullopt;
  const Attribute* one = model.graph.nodes[parameter.producer].Find("value_float");
  if (one == nullptr) return std::nullopt;
  statistics.Add(reinterpret_cast<const char*>(&one->number), 1, target);
  return statistics;
}

}  // namespace opledger
