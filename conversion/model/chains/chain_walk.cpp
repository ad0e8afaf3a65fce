// Follows chains upward from a node that is characteristic of them.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/chains/chain_walk.h"

#include <algorithm>
#include <cmath>

#include "conversion/model/onnx/attribute_values.h"
#include "conversion/model/onnx/tensor_data.h"

namespace opledger {
namespace {

constexpr double kSameConstant = 1e-5;  // relative; exporters round differently

}  // namespace

bool IsSameNumber(double one, double other) {
  return std::fabs(one - other) <= kSameConstant * std::fabs(other);
}

const Node* ChainWalk::ProducerOf(ValueId value) const {
  if (value == kNone || graph_.values[value].producer == kNone) return nullptr;
  const Node& node = graph_.nodes[graph_.values[value].producer];
  return node.domain.empty() && !node.inputs.empty() ? &node : nullptr;
}

const Node* ChainWalk::Producer(ValueId value, std::string_view op) {
  const Node* node = ProducerOf(value);
  if (node == nullptr || node->op != op) return nullptr;
  Take(*node);
  return node;
}

const Node* ChainWalk::OnlyReader(ValueId value) const {
  const std::vector<Use>& uses = graph_.values[value].uses;
  if (uses.empty()) return nullptr;
  const Node& node = graph_.nodes[uses.front().node];
  const bool one = std::all_of(uses.begin(), uses.end(),
                               [&](const Use& use) { return use.node == uses.front().node; });
  return one && node.domain.empty() ? &node : nullptr;
}

ValueId ChainWalk::InverseOf(ValueId value) {
  if (const Node* inverse = Producer(value, "Reciprocal")) return inverse->inputs[0];
  const Node* quotient = ProducerOf(value);
  if (quotient == nullptr || quotient->op != "Div") return kNone;
  if (quotient->inputs.size() != 2 || !IsNumber(quotient->inputs[0], 1)) return kNone;
  Take(*quotient);
  return quotient->inputs[1];
}

std::optional<ChainWalk::Division> ChainWalk::BeginDivision(const Node& quotient, int at) {
  const bool product = quotient.op == "Mul";
  if (quotient.inputs.size() != 2 || (!product && at == 0)) return std::nullopt;
  Begin(quotient);
  const ValueId divisor = quotient.inputs[at];
  return Division{quotient.inputs[1 - at], product ? InverseOf(divisor) : divisor};
}

ValueId ChainWalk::OtherInput(const Node& node, ValueId one) {
  if (node.inputs.size() != 2) return kNone;
  if (node.inputs[0] == one) return node.inputs[1];
  return node.inputs[1] == one ? node.inputs[0] : kNone;
}

ValueId ChainWalk::Output(const Node& node) {
  return node.outputs.size() == 1 ? node.outputs[0] : kNone;
}

std::optional<double> ChainWalk::Number(ValueId value) const {
  if (value == kNone || graph_.values[value].is_input) return std::nullopt;
  if (const auto floats = ParameterNumbers<float>(model_, value, Dtype::kFloat32)) {
    return floats->size() == 1 ? std::optional<double>(floats->front()) : std::nullopt;
  }
  const auto integers = ParameterNumbers<std::int64_t>(model_, value, Dtype::kInt64);
  if (!integers || integers->size() != 1) return std::nullopt;
  return static_cast<double>(integers->front());
}

bool ChainWalk::IsNumber(ValueId value, double number) const {
  const auto found = Number(value);
  return found && IsSameNumber(*found, number);
}

std::optional<std::int64_t> ChainWalk::ReducedAxis(const Node& node) const {
  const Attribute* keep = node.Find("keepdims");
  if (keep != nullptr && keep->integer != 1) return std::nullopt;
  if (node.inputs.empty() || node.inputs[0] == kNone) return std::nullopt;
  std::vector<std::int64_t> axes = AttributeIntegers(model_, IdOf(node), "axes");
  if (axes.empty() && node.inputs.size() == 2) {
    const auto found = ParameterNumbers<std::int64_t>(model_, node.inputs[1], Dtype::kInt64);
    if (found && !graph_.values[node.inputs[1]].is_input) axes = *found;
  }
  if (axes.size() != 1) return std::nullopt;
  const auto& dimensions = dimensions_[node.inputs[0]];
  if (axes[0] < 0 || !dimensions) return axes[0];
  return axes[0] - static_cast<std::int64_t>(dimensions->size());
}

bool ChainWalk::IsAlongLastAxis(ValueId parameter, ValueId of) const {
  const Value& value = graph_.values[parameter];
  const TensorId id = ParameterTensor(graph_, value);
  if (value.is_input || id == kNone) return false;
  const Tensor& tensor = graph_.tensors[id];
  if (tensor.dtype != Dtype::kFloat32 || tensor.dimensions.size() != 1) return false;
  const std::int64_t length = tensor.dimensions[0];
  const auto& dimensions = dimensions_[of];
  const bool known = dimensions && !dimensions->empty() && dimensions->back() >= 0;
  return known ? dimensions->back() == length : length > 1;
}

// Returns whether a scalar constant that the node reads keeps the shape of values computed from
// `x`. A constant of higher rank would raise the rank of the result.
bool ChainWalk::FitsInto(const Node& node, ValueId input, ValueId x) const {
  if (input == x || node.op.starts_with("Reduce") || !Number(input)) return true;
  const auto& number = dimensions_[input];
  const auto& of_x = dimensions_[x];
  return number && (number->empty() || (of_x && number->size() <= of_x->size()));
}

// Returns whether anything outside the chain reads the value.
bool ChainWalk::ReadOutside(ValueId value, ScopeId scope) const {
  const std::vector<Use>& uses = graph_.values[value].uses;
  const std::vector<ValueId>& outputs = graph_.scopes[scope].outputs;
  return std::find(outputs.begin(), outputs.end(), value) != outputs.end() ||
         std::any_of(uses.begin(), uses.end(),
                     [&](const Use& use) { return !seen_.contains(use.node); });
}

void ChainWalk::TakeConstants(const NodeChain& chain, ScopeId scope) {
  for (const NodeId id : std::vector<NodeId>(seen_.begin(), seen_.end())) {
    for (const ValueId input : graph_.nodes[id].inputs) {
      const bool kept =
          std::find(chain.inputs.begin(), chain.inputs.end(), input) != chain.inputs.end();
      const NodeId producer = input == kNone || kept ? kNone : graph_.values[input].producer;
      if (producer == kNone || graph_.nodes[producer].op != "Constant") continue;
      if (graph_.nodes[producer].scope == scope && !ReadOutside(input, scope)) {
        seen_.insert(producer);
      }
    }
  }
}

std::optional<NodeChain> ChainWalk::Close(NodeChain chain, const Node& last) {
  Take(last);
  for (const NodeId id : seen_) {
    const Node& node = graph_.nodes[id];
    if (node.scope != last.scope || node.outputs.size() != 1 || taken_.contains(id) ||
        !graph_.IsFloat32(node.outputs[0])) {
      return std::nullopt;
    }
    const bool fits = std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
      return input == kNone || FitsInto(node, input, chain.inputs[0]);
    });
    if (!fits) chain.replaceable = false;
    if (&node != &last && ReadOutside(node.outputs[0], last.scope)) chain.replaceable = false;
  }
  if (chain.replaceable) TakeConstants(chain, last.scope);
  chain.nodes.assign(seen_.begin(), seen_.end());
  std::erase(chain.nodes, IdOf(last));
  chain.nodes.push_back(IdOf(last));
  taken_.insert(chain.nodes.begin(), chain.nodes.end());
  return chain;
}

}  // namespace opledger
