// Decides type variables first, then inputs and outputs by their variables.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/label/lowered_operands.h"

#include <algorithm>

#include "conversion/model/graph/types.h"

namespace opledger {
namespace {

class OperandFinder {
 public:
  OperandFinder(const Graph& graph, const Node& node, const Signature& signature, Dtype target,
                const std::vector<std::string>& keep)
      : graph_(graph), node_(node), signature_(signature), target_(target), keep_(keep) {}

  LoweredOperands Find() {
    LoweredOperands lowered;
    FindVariables();
    lowered.inputs.resize(node_.inputs.size());
    lowered.outputs.resize(node_.outputs.size());
    lowered.any.resize(node_.inputs.size());
    lowered.apart.resize(node_.inputs.size());
    bool first = true;
    bool any = false;
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      const Parameter* parameter = Signature::At(signature_.inputs, i);
      if (Unknown(node_.inputs[i], parameter)) {
        lowered.obstacle = "the type of its input " + std::to_string(i) + " is unknown";
      }
      if (!graph_.IsFloat32(node_.inputs[i])) continue;
      lowered.any[i] = parameter != nullptr && parameter->shape_only;
      lowered.inputs[i] = parameter != nullptr && Goes(*parameter, i);
      const bool kept = parameter != nullptr && Kept(*parameter, i);
      lowered.apart[i] = kept && !lowered.any[i] && IsApart(*parameter, i);
      if (first && !kept && !lowered.inputs[i]) {
        lowered.obstacle = "version " + std::to_string(signature_.since) + " does not accept " +
                           DtypeName(target_) + " as input " + std::to_string(i);
      }
      first = first && kept;
      any = any || lowered.inputs[i];
    }
    FindContainers(lowered);
    if (!any && lowered.obstacle.empty()) lowered.obstacle = "none of its inputs can be cast";
    for (std::size_t i = 0; i < node_.outputs.size(); ++i) FindOutput(i, lowered);
    return lowered;
  }

 private:
  bool Kept(const Parameter& parameter, std::size_t position) const {
    return parameter.keep || parameter.shape_only ||
           std::any_of(keep_.begin(), keep_.end(), [&](const std::string& kept) {
             return kept == parameter.name || kept == std::to_string(position);
           });
  }

  // Elements of a sequence or an optional keep their type, and so do values put into it.
  void FindContainers(LoweredOperands& lowered) const {
    const auto find = [&](const char* what, const std::vector<ValueId>& values) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == kNone) continue;
        const ValueType& type = graph_.values[values[i]].type;
        const bool plain =
            type.kind == ValueType::Kind::kTensor || type.kind == ValueType::Kind::kUnknown;
        if (plain || (type.dtype && *type.dtype != Dtype::kFloat32)) continue;
        lowered.obstacle =
            what + std::to_string(i) + " is " + TypeText(type) + ", which cannot change";
      }
    };
    find("input ", node_.inputs);
    find("output ", node_.outputs);
  }

  // Finds variables that become low: those that allow the target and have no input kept in float32.
  void FindVariables() {
    for (const TypeSet& set : signature_.variables) low_.push_back(set.Allows(target_));
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      const Parameter* parameter = Signature::At(signature_.inputs, i);
      if (parameter == nullptr || parameter->variable < 0 || !parameter->homogeneous) continue;
      if (graph_.IsFloat32(node_.inputs[i]) && Kept(*parameter, i))
        low_[parameter->variable] = false;
    }
  }

  // Returns whether the value's type is unknown although it has to match others.
  bool Unknown(ValueId value, const Parameter* parameter) const {
    if (value == kNone || parameter == nullptr || parameter->variable < 0) return false;
    const ValueType& type = graph_.values[value].type;
    return !parameter->keep && !parameter->shape_only &&
           (type.kind == ValueType::Kind::kUnknown || !type.dtype);
  }

  bool Goes(const Parameter& parameter, std::size_t position) const {
    return parameter.variable >= 0 && low_[parameter.variable] && !Kept(parameter, position);
  }

  // Returns whether the input's variable allows the target type and types no output and no other
  // input.
  bool IsApart(const Parameter& parameter, std::size_t position) const {
    const int variable = parameter.variable;
    if (parameter.keep || variable < 0 || !signature_.variables[variable].Allows(target_)) {
      return false;
    }
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      const Parameter* other = Signature::At(signature_.inputs, i);
      if (i != position && other != nullptr && other->variable == variable) return false;
    }
    return std::none_of(signature_.outputs.begin(), signature_.outputs.end(),
                        [&](const Parameter& output) { return output.variable == variable; }) &&
           std::none_of(signature_.rules.begin(), signature_.rules.end(),
                        [&](const TypeRule& rule) {
                          return rule.input == static_cast<int>(position) ||
                                 rule.kind == TypeRule::Kind::kWidest;
                        });
  }

  // Returns whether the variable's type comes from an input that becomes low.
  bool Bound(int variable, const LoweredOperands& lowered) const {
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      const Parameter* parameter = Signature::At(signature_.inputs, i);
      if (parameter != nullptr && parameter->variable == variable && lowered.inputs[i]) return true;
    }
    return false;
  }

  // Returns the rule that types an output, or nullptr if its variable does.
  const TypeRule* RuleOf(std::size_t position) const {
    for (const TypeRule& rule : signature_.rules) {
      if (rule.output != -1 && rule.output != static_cast<int>(position)) continue;
      if (rule.kind == TypeRule::Kind::kAs || !RuleApplies(graph_, node_, rule)) continue;
      const auto input = static_cast<std::size_t>(rule.input);
      const bool by_input = rule.kind == TypeRule::Kind::kInput;
      if (by_input && (input >= node_.inputs.size() || node_.inputs[input] == kNone)) continue;
      const bool attribute = rule.kind == TypeRule::Kind::kAttribute;
      const bool given = attribute && node_.Find(rule.attribute) != nullptr;
      if (attribute && !given && rule.type.kind == ValueType::Kind::kUnknown) continue;
      return &rule;
    }
    return nullptr;
  }

  void FindOutput(std::size_t position, LoweredOperands& lowered) const {
    const ValueId value = node_.outputs[position];
    const Parameter* parameter = Signature::At(signature_.outputs, position);
    if (value == kNone || parameter == nullptr) return;
    bool low = parameter->variable >= 0 && Bound(parameter->variable, lowered);
    if (const TypeRule* rule = RuleOf(position)) {
      const auto input = static_cast<std::size_t>(rule->input);
      const bool any =
          std::find(lowered.inputs.begin(), lowered.inputs.end(), true) != lowered.inputs.end();
      low = rule->kind == TypeRule::Kind::kWidest
                ? any
                : rule->kind == TypeRule::Kind::kInput && input < lowered.inputs.size() &&
                      lowered.inputs[input];
    }
    const ValueType& type = graph_.values[value].type;
    if (type.IsTensorOf(Dtype::kFloat32)) lowered.outputs[position] = low;
    if (low && type.kind != ValueType::Kind::kTensor) {
      lowered.obstacle =
          "output " + std::to_string(position) + " is " + TypeText(type) + ", which cannot change";
    }
  }

  const Graph& graph_;
  const Node& node_;
  const Signature& signature_;
  Dtype target_;
  const std::vector<std::string>& keep_;
  std::vector<bool> low_;  // per variable
};

}  // namespace

LoweredOperands FindLoweredOperands(const Graph& graph, const Node& node,
                                    const Signature& signature, Dtype target,
                                    const std::vector<std::string>& keep_fp32_inputs) {
  return OperandFinder(graph, node, signature, target, keep_fp32_inputs).Find();
}

}  // namespace opledger
