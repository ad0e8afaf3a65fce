// A chain is followed upwards from the node that only it has: the division by a root, or Erf.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/prepare/fuse_chains.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "conversion/model/onnx/attribute_values.h"
#include "conversion/model/onnx/message_edits.h"
#include "conversion/model/onnx/onnx_fields.h"
#include "conversion/model/onnx/tensor_data.h"
#include "conversion/prepare/dimensions.h"

namespace opledger {
namespace {

constexpr double kSameConstant = 1e-5;  // as a part of it: exporters round differently

class ChainFinder {
 public:
  explicit ChainFinder(const OnnxModel& model)
      : model_(model), graph_(model.graph), dimensions_(FindDimensions(model)) {}

  std::vector<NodeChain> Run();

 private:
  const Node* Producer(ValueId value, std::string_view op);
  ValueId OtherInput(const Node& node, ValueId one) const;
  std::optional<double> Number(ValueId value) const;
  bool IsNumber(ValueId value, double number) const;
  const Node* OnlyReader(ValueId value, std::string_view op) const;
  NodeId IdOf(const Node& node) const { return static_cast<NodeId>(&node - graph_.nodes.data()); }
  ValueId Output(const Node& node) const {
    return node.outputs.size() == 1 ? node.outputs[0] : kNone;
  }
  ValueId InverseOf(ValueId value);
  bool IsMean(const Node& node);
  bool IsSquareOf(const Node& node, ValueId& of);
  bool IsCentred(const Node& node, ValueId& of);
  bool AddParameter(const Node& behind, std::string_view op, NodeChain& chain);
  bool IsAlongLastAxis(ValueId parameter, ValueId of) const;
  std::optional<NodeChain> Normalization(const Node& quotient);
  std::optional<NodeChain> Gelu(const Node& erf);
  bool Close(NodeChain& chain);

  const OnnxModel& model_;
  const Graph& graph_;
  std::vector<std::optional<Dimensions>> dimensions_;
  std::set<NodeId> seen_;  // of the chain at hand
  std::set<NodeId> taken_;
};

// The node of this operator that gives the value; it belongs to the chain.
const Node* ChainFinder::Producer(ValueId value, std::string_view op) {
  if (value == kNone || graph_.values[value].producer == kNone) return nullptr;
  const Node& node = graph_.nodes[graph_.values[value].producer];
  if (node.op != op || !node.domain.empty() || node.inputs.empty()) return nullptr;
  seen_.insert(IdOf(node));
  return &node;
}

// Of two inputs the one that is not `one`; kNone: there is none such.
ValueId ChainFinder::OtherInput(const Node& node, ValueId one) const {
  if (node.inputs.size() != 2) return kNone;
  if (node.inputs[0] == one) return node.inputs[1];
  return node.inputs[1] == one ? node.inputs[0] : kNone;
}

// Of a constant with one number.
std::optional<double> ChainFinder::Number(ValueId value) const {
  if (value == kNone || graph_.values[value].is_input) return std::nullopt;
  if (const auto floats = ParameterNumbers<float>(model_, value, Dtype::kFloat32)) {
    return floats->size() == 1 ? std::optional<double>(floats->front()) : std::nullopt;
  }
  const auto integers = ParameterNumbers<std::int64_t>(model_, value, Dtype::kInt64);
  if (!integers || integers->size() != 1) return std::nullopt;
  return static_cast<double>(integers->front());
}

bool ChainFinder::IsNumber(ValueId value, double number) const {
  const auto found = Number(value);
  return found && std::fabs(*found - number) <= kSameConstant * std::fabs(number);
}

const Node* ChainFinder::OnlyReader(ValueId value, std::string_view op) const {
  const std::vector<Use>& uses = graph_.values[value].uses;
  if (uses.empty()) return nullptr;
  const Node& node = graph_.nodes[uses.front().node];
  const bool one = std::all_of(uses.begin(), uses.end(),
                               [&](const Use& use) { return use.node == uses.front().node; });
  return one && node.op == op && node.domain.empty() && node.inputs.size() == 2 ? &node : nullptr;
}

// Over the last axis, which stays.
bool ChainFinder::IsMean(const Node& node) {
  const Attribute* keep = node.Find("keepdims");
  if (keep != nullptr && keep->integer != 1) return false;
  std::vector<std::int64_t> axes = AttributeIntegers(model_, IdOf(node), "axes");
  if (axes.empty() && node.inputs.size() == 2) {
    const auto found = Number(node.inputs[1]);
    if (!found) return false;
    axes.push_back(static_cast<std::int64_t>(*found));
  }
  if (axes.size() != 1) return false;
  const auto& dimensions = dimensions_[node.inputs[0]];
  return axes[0] == -1 ||
         (dimensions && axes[0] + 1 == static_cast<std::int64_t>(dimensions->size()));
}

bool ChainFinder::IsSquareOf(const Node& node, ValueId& of) {
  if (node.inputs.size() != 2) return false;
  of = node.inputs[0];
  if (node.op == "Mul") return node.inputs[0] == node.inputs[1];
  return node.op == "Pow" && IsNumber(node.inputs[1], 2);
}

// x - mean(x)
bool ChainFinder::IsCentred(const Node& node, ValueId& of) {
  if (node.inputs.size() != 2) return false;
  const Node* mean = Producer(node.inputs[1], "ReduceMean");
  if (mean == nullptr || mean->inputs[0] != node.inputs[0] || !IsMean(*mean)) return false;
  of = node.inputs[0];
  return true;
}

// A constant of one dimension, as long as the last one of the value. Where the value's is not
// known, the product with the constant says it: it could only be 1 besides, and one number has no
// variance.
bool ChainFinder::IsAlongLastAxis(ValueId parameter, ValueId of) const {
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

// The product or sum behind the node with a constant along the last axis.
bool ChainFinder::AddParameter(const Node& behind, std::string_view op, NodeChain& chain) {
  const ValueId result = Output(behind);
  const Node* reader = result == kNone ? nullptr : OnlyReader(result, op);
  if (reader == nullptr) return false;
  const ValueId parameter = OtherInput(*reader, result);
  if (parameter == kNone || !IsAlongLastAxis(parameter, chain.inputs[0])) return false;
  chain.inputs.push_back(parameter);
  chain.nodes.push_back(IdOf(*reader));
  return true;
}

// The value that this is 1 divided by; kNone: it is nothing such.
ValueId ChainFinder::InverseOf(ValueId value) {
  if (const Node* inverse = Producer(value, "Reciprocal")) return inverse->inputs[0];
  const Node* quotient = Producer(value, "Div");
  const bool inverse =
      quotient != nullptr && quotient->inputs.size() == 2 && IsNumber(quotient->inputs[0], 1);
  return inverse ? quotient->inputs[1] : kNone;
}

// d / sqrt(mean(d^2) + epsilon), or d * (1 / sqrt(...)), with d = x - mean(x) or x itself.
std::optional<NodeChain> ChainFinder::Normalization(const Node& quotient) {
  if (quotient.inputs.size() != 2) return std::nullopt;
  for (const int at : {1, 0}) {
    if (at == 0 && quotient.op == "Div") break;
    seen_ = {IdOf(quotient)};
    ValueId divisor = quotient.inputs[at];
    const ValueId dividend = quotient.inputs[1 - at];
    if (quotient.op == "Mul") divisor = InverseOf(divisor);
    const Node* root = Producer(divisor, "Sqrt");
    const Node* sum = root == nullptr ? nullptr : Producer(root->inputs[0], "Add");
    if (sum == nullptr || sum->inputs.size() != 2) continue;
    const int variance_at = Number(sum->inputs[1]) ? 0 : 1;
    const auto epsilon = Number(sum->inputs[1 - variance_at]);
    const Node* mean = Producer(sum->inputs[variance_at], "ReduceMean");
    if (!epsilon || *epsilon < 0 || mean == nullptr || !IsMean(*mean)) continue;
    const Node* square = Producer(mean->inputs[0], "Pow");
    if (square == nullptr) square = Producer(mean->inputs[0], "Mul");
    ValueId squared = kNone;
    if (square == nullptr || !IsSquareOf(*square, squared)) continue;
    NodeChain chain{"RMSNormalization", 23, {}, {dividend}, static_cast<float>(*epsilon)};
    const Node* centred = Producer(squared, "Sub");
    const Node* other = Producer(dividend, "Sub");
    ValueId of = kNone;
    ValueId of_other = kNone;
    if (centred != nullptr && other != nullptr && IsCentred(*centred, of) &&
        IsCentred(*other, of_other) && of == of_other) {
      chain = {"LayerNormalization", 17, {}, {of}, static_cast<float>(*epsilon)};
    } else if (squared != dividend || centred != nullptr) {
      return std::nullopt;
    }
    if (!AddParameter(quotient, "Mul", chain)) return std::nullopt;
    if (chain.op == "LayerNormalization") {
      AddParameter(graph_.nodes[chain.nodes.back()], "Add", chain);
    }
    return Close(chain) ? std::optional(chain) : std::nullopt;
  }
  return std::nullopt;
}

// 0.5 * x * (1 + erf(x / sqrt(2))), the factors in any order.
std::optional<NodeChain> ChainFinder::Gelu(const Node& erf) {
  seen_ = {IdOf(erf)};
  const Node* divided = Producer(erf.inputs[0], "Div");
  if (divided == nullptr) divided = Producer(erf.inputs[0], "Mul");
  if (divided == nullptr || divided->inputs.size() != 2) return std::nullopt;
  const double factor = divided->op == "Div" ? std::sqrt(2.0) : std::sqrt(0.5);
  const int constant_at = divided->op == "Div" || Number(divided->inputs[1]) ? 1 : 0;
  const ValueId x = divided->inputs[1 - constant_at];
  if (!IsNumber(divided->inputs[constant_at], factor)) return std::nullopt;
  const ValueId of_erf = Output(erf);
  const Node* sum = of_erf == kNone ? nullptr : OnlyReader(of_erf, "Add");
  if (sum == nullptr || !IsNumber(OtherInput(*sum, of_erf), 1)) return std::nullopt;
  seen_.insert(IdOf(*sum));
  const ValueId one_more = Output(*sum);
  const Node* product = one_more == kNone ? nullptr : OnlyReader(one_more, "Mul");
  if (product == nullptr) return std::nullopt;
  NodeChain chain{"Gelu", 20, {IdOf(*product)}, {x}, std::nullopt};
  const ValueId first = OtherInput(*product, one_more);
  if (const Node* half = Producer(first, "Mul");
      half != nullptr && IsNumber(OtherInput(*half, x), 0.5)) {
    return Close(chain) ? std::optional(chain) : std::nullopt;
  }
  if (first == kNone || (first != x && !IsNumber(first, 0.5))) return std::nullopt;
  const ValueId partial = Output(*product);
  const Node* last = partial == kNone ? nullptr : OnlyReader(partial, "Mul");
  if (last == nullptr) return std::nullopt;
  const ValueId second = OtherInput(*last, partial);
  if (first == x ? !IsNumber(second, 0.5) : second != x) return std::nullopt;
  chain.nodes.push_back(IdOf(*last));
  return Close(chain) ? std::optional(chain) : std::nullopt;
}

// All nodes of it, in order, with constants that only it reads. False: something else reads what
// they give, or another chain has one.
bool ChainFinder::Close(NodeChain& chain) {
  seen_.insert(chain.nodes.begin(), chain.nodes.end());
  const NodeId last = chain.nodes.back();
  const Node& result = graph_.nodes[last];
  const auto within = [&](ValueId value) {
    const std::vector<Use>& uses = graph_.values[value].uses;
    const std::vector<ValueId>& outputs = graph_.scopes[result.scope].outputs;
    return std::find(outputs.begin(), outputs.end(), value) == outputs.end() &&
           std::all_of(uses.begin(), uses.end(),
                       [&](const Use& use) { return seen_.contains(use.node); });
  };
  for (const NodeId id : std::vector<NodeId>(seen_.begin(), seen_.end())) {
    const Node& node = graph_.nodes[id];
    if (node.scope != result.scope || node.outputs.size() != 1 || taken_.contains(id) ||
        !graph_.IsFloat32(node.outputs[0])) {
      return false;
    }
    if (id != last && !within(node.outputs[0])) return false;
  }
  chain.nodes.assign(seen_.begin(), seen_.end());
  for (const NodeId id : chain.nodes) {
    for (const ValueId input : graph_.nodes[id].inputs) {
      const bool kept =
          std::find(chain.inputs.begin(), chain.inputs.end(), input) != chain.inputs.end();
      const NodeId producer = input == kNone || kept ? kNone : graph_.values[input].producer;
      if (producer == kNone || graph_.nodes[producer].op != "Constant") continue;
      if (graph_.nodes[producer].scope == result.scope && within(input)) seen_.insert(producer);
    }
  }
  chain.nodes.assign(seen_.begin(), seen_.end());
  std::erase(chain.nodes, last);
  chain.nodes.push_back(last);
  taken_.insert(chain.nodes.begin(), chain.nodes.end());
  return true;
}

std::vector<NodeChain> ChainFinder::Run() {
  std::vector<NodeChain> found;
  for (const Node& node : graph_.nodes) {
    if (!node.domain.empty() || node.inputs.empty()) continue;
    std::optional<NodeChain> chain;
    if (node.op == "Div" || node.op == "Mul") chain = Normalization(node);
    if (node.op == "Erf") chain = Gelu(node);
    if (chain) found.push_back(std::move(*chain));
  }
  return found;
}

std::string FloatAttribute(std::string_view name, float number) {
  std::string attribute;
  AppendBytesField(attribute, attribute_field::kName, name);
  constexpr std::uint64_t kFixed32 = 5;  // the wire type
  AppendVarint(attribute, std::uint64_t{attribute_field::kFloat} << 3U | kFixed32);
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  attribute += bytes;
  AppendVarintField(attribute, attribute_field::kType, attribute_type::kFloat);
  return attribute;
}

std::string FusedNode(const Graph& graph, const NodeChain& chain) {
  const Node& last = graph.nodes[chain.nodes.back()];
  std::string node;
  for (const ValueId input : chain.inputs) {
    AppendBytesField(node, node_field::kInput, graph.values[input].name);
  }
  AppendBytesField(node, node_field::kOutput, graph.values[last.outputs[0]].name);
  if (!last.name.empty()) AppendBytesField(node, node_field::kName, last.name);
  AppendBytesField(node, node_field::kOpType, chain.op);
  if (chain.epsilon) {
    AppendBytesField(node, node_field::kAttribute, IntegerAttribute("axis", -1));
    AppendBytesField(node, node_field::kAttribute, FloatAttribute("epsilon", *chain.epsilon));
  }
  return node;
}

}  // namespace

std::vector<NodeChain> FindChains(const OnnxModel& model) { return ChainFinder(model).Run(); }

EditList FuseChains(const OnnxModel& model, const std::vector<NodeChain>& chains) {
  const Graph& graph = model.graph;
  MessageEdits edits(model.places.messages);
  for (const NodeChain& chain : chains) {
    const NodeId last = chain.nodes.back();
    for (const NodeId id : chain.nodes) {
      if (id == last) continue;
      edits.Remove(model.places.nodes[id]);
      for (const MessageId declaration : model.places.declarations[graph.nodes[id].outputs[0]]) {
        edits.Remove(declaration);
      }
    }
    NewBytes bytes;
    AppendBytesField(bytes.bytes, NodeFieldOf(graph, graph.nodes[last].scope),
                     FusedNode(graph, chain));
    const MessageSpan& place = model.places.messages[model.places.nodes[last]];
    edits.Replace(place.parent, place.whole, std::move(bytes));
  }
  return edits.Finish();
}

}  // namespace opledger
