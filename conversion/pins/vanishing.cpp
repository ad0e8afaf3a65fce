// x * 1e-9: zero in float16.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/pins/pins.h"

namespace opledger {
namespace {

// Below this a float16 has no more bits than a bfloat16. bfloat16 itself goes as far as float32.
constexpr float kCoarse = 0x1p-17F;

// Operators in which a number that vanishes leaves the rest as it is.
const OperatorNames& Adding() {
  static const OperatorNames names = {
      "Add",    "Sub",   "Sum",  "Max",     "Min",  "Clip",  "Where",       "Pad",
      "Concat", "Equal", "Less", "Greater", "Mean", "PRelu", "LessOrEqual", "GreaterOrEqual"};
  return names;
}

}  // namespace

void PinVanishing(PinContext& context) {
  if (context.target != Dtype::kFloat16) return;
  for (std::size_t id = 0; id < context.graph.values.size(); ++id) {
    const ParameterStatistics& numbers = context.statistics[id];
    if (numbers.max_magnitude == 0 || numbers.max_magnitude >= kCoarse) continue;
    const Value& value = context.graph.values[id];
    for (const Use& use : value.uses) {
      NodeLabel& label = context.labels[use.node];
      if (!WouldCast(label, static_cast<std::size_t>(use.input))) continue;
      const Node& node = context.graph.nodes[use.node];
      // The addends of contractions vanish as those of an Add do.
      const bool bias = use.input == 2 && IsOneOf(node, {"Gemm", "Conv", "ConvTranspose"});
      if (bias || IsOneOf(node, Adding())) continue;
      PinNode(label, "weights",
              "all numbers of '" + std::string(value.name) + "' are too small for " +
                  DtypeName(context.target));
    }
  }
}

}  // namespace opledger
