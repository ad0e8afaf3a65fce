// MXNet's _mul_scalar(x, 1e6): the number stands in an attribute, but does what a parameter's
// would.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>

#include "conversion/pins/pins.h"

namespace opledger {
namespace {

constexpr double kLargestScalar = 65504;     // of float16
constexpr double kSmallestScalar = 0x1p-17;  // below it a float16 has fewer bits than a bfloat16

const OperatorNames& AddingScalars() {
  static const OperatorNames names = {"_plus_scalar", "_minus_scalar", "_rminus_scalar"};
  return names;
}
const OperatorNames& MultiplyingScalars() {
  static const OperatorNames names = {"_mul_scalar", "_div_scalar", "_rdiv_scalar"};
  return names;
}

}  // namespace

void PinScalars(PinContext& context) {
  if (context.target != Dtype::kFloat16) return;  // bfloat16 goes as far as float32
  std::vector<NodeId> pinned;
  for (NodeId id = 0; id < static_cast<NodeId>(context.graph.nodes.size()); ++id) {
    const Node& node = context.graph.nodes[id];
    const bool adds = IsOneOf(node, AddingScalars());
    if (!adds && !IsOneOf(node, MultiplyingScalars())) continue;
    const Attribute* scalar = node.Find("scalar");
    if (scalar == nullptr || !MayBeLow(context.labels[id])) continue;
    double number = 0;
    const std::string_view text = scalar->text;
    std::from_chars(text.data(), text.data() + text.size(), number);
    const double size = std::abs(number);
    const bool divides = node.op == "_div_scalar" && size > 0;
    const double factor = divides ? std::max(size, 1 / size) : size;
    const bool beyond = factor > kLargestScalar;
    const bool vanishes = !adds && size > 0 && size < kSmallestScalar;
    if (!beyond && !vanishes) continue;
    PinNode(context.labels[id], "scalar",
            "its scalar " + std::string(text) +
                (beyond ? " is beyond float16" : " is too small for float16"));
    if (beyond) pinned.push_back(id);
  }
  PinFreeReaders(context, std::move(pinned), "scalar", "beyond float16");
}

}  // namespace opledger
