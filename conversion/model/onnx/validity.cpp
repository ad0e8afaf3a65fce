// Checks nodes against their signatures.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/onnx/validity.h"

#include <iterator>

#include "conversion/model/onnx/onnx_fields.h"

namespace opledger {
namespace {

// Names of AttributeProto.AttributeType as spelled in manifests.
constexpr std::string_view kAttributeTypes[] = {
    "UNDEFINED",      "FLOAT",      "INT",        "STRING",  "TENSOR", "GRAPH",
    "FLOATS",         "INTS",       "STRINGS",    "TENSORS", "GRAPHS", "SPARSE_TENSOR",
    "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};

std::string_view TypeName(std::uint32_t type) {
  return type < std::size(kAttributeTypes) ? kAttributeTypes[type] : "UNDEFINED";
}

bool IsList(std::uint32_t type) {
  return type >= attribute_type::kFloats && type != attribute_type::kSparseTensor &&
         type != attribute_type::kTypeProto;
}

class NodeCheck {
 public:
  NodeCheck(const Node& node, const Signature& signature) : node_(node), signature_(signature) {}

  // Returns the first problem, or an empty string.
  std::string Run() {
    CheckCount("input", node_.inputs, signature_.inputs);
    CheckCount("output", node_.outputs, signature_.outputs);
    for (const Attribute& attribute : node_.attributes) CheckAttribute(attribute);
    for (const auto& [name, rule] : signature_.attributes) {
      if (rule.required && node_.Find(name) == nullptr) Say("attribute '" + name + "' is missing");
    }
    return std::move(problem_);
  }

 private:
  void Say(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  void CheckCount(const char* what, const std::vector<ValueId>& given,
                  const std::vector<Parameter>& parameters) {
    if (given.size() > parameters.size() && (parameters.empty() || !parameters.back().variadic)) {
      return Say(std::string("it has no ") + what + " " + std::to_string(parameters.size()));
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Parameter& parameter = parameters[i];
      const std::size_t minimum = parameter.variadic
                                      ? i + static_cast<std::size_t>(parameter.minimum)
                                  : parameter.optional ? 0
                                                       : i + 1;
      const bool missing = given.size() < minimum ||
                           (!parameter.optional && !parameter.variadic && given[i] == kNone);
      if (missing)
        Say(std::string(what) + " " + std::to_string(i) + " (" + parameter.name + ") is missing");
    }
  }

  void CheckAttribute(const Attribute& attribute) {
    const auto rule = signature_.attributes.find(attribute.name);
    const std::string name = "attribute '" + std::string(attribute.name) + "' ";
    if (rule == signature_.attributes.end())
      return Say(name + "is not an attribute of this operator");
    if (attribute.kind == Attribute::Kind::kReference) return;
    const std::uint32_t type =
        attribute.said_type != 0 ? attribute.said_type : attribute.value_type;
    const bool empty_list = attribute.value_type == 0 && IsList(type);
    if (TypeName(type) != rule->second.type || (attribute.value_type != type && !empty_list)) {
      Say(name + "is " +
          std::string(TypeName(attribute.value_type != 0 ? attribute.value_type : type)) +
          ", not " + rule->second.type);
    }
  }

  const Node& node_;
  const Signature& signature_;
  std::string problem_;
};

}  // namespace

std::vector<TypeProblem> FindInvalidNodes(const OnnxModel& model, const Typing& typing) {
  std::vector<TypeProblem> problems;
  for (std::size_t id = 0; id < model.graph.nodes.size(); ++id) {
    const Node& node = model.graph.nodes[id];
    const Signature* signature = typing.signatures[id];
    const bool own = node.domain.empty() || node.domain.starts_with("ai.onnx");
    if (signature == nullptr || !own) continue;
    std::string problem = NodeCheck(node, *signature).Run();
    if (!problem.empty()) problems.push_back({static_cast<NodeId>(id), std::move(problem)});
  }
  return problems;
}

}  // namespace opledger
