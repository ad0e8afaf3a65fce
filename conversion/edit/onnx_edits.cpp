// Names first: every value has one for each type it is wanted in, and the model's own outputs keep
// theirs. Then, in any order: readers, declarations, parameters, casts.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/edit/onnx_edits.h"

#include "conversion/edit/edit.h"
#include "conversion/edit/onnx_parameters.h"
#include "conversion/model/half/half.h"
#include "conversion/model/onnx/message_edits.h"
#include "conversion/model/onnx/onnx_fields.h"
#include "conversion/model/onnx/wire.h"

namespace opledger {
namespace {

class OnnxEditor {
 public:
  OnnxEditor(const OnnxModel& model, const Plan& plan, Dtype target, TensorData& data,
             OnnxDataFile& data_file)
      : model_(model),
        graph_(model.graph),
        plan_(plan),
        target_(target),
        fresh_(model.graph),
        edits_(model.places.frames),
        parameters_(model, target, data, data_file, edits_) {}

  EditList Edits() {
    NameValues();
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) EditNode(id);
    for (ScopeId id = 0; id < static_cast<ScopeId>(graph_.scopes.size()); ++id) EditOutputs(id);
    for (ValueId id = 0; id < static_cast<ValueId>(graph_.values.size()); ++id) EditValue(id);
    parameters_.MoveExternal();
    return edits_.Finish();
  }

 private:
  struct Names {
    std::string low;
    std::string high;
  };

  void NameValues() {
    names_.resize(graph_.values.size());
    own_is_low_.resize(graph_.values.size());
    for (std::size_t id = 0; id < graph_.values.size(); ++id) {
      const ValuePlan& value = plan_.values[id];
      own_is_low_[id] = value.parameter ? value.wanted_low && !value.wanted_high : value.low;
    }
    // The model's own outputs keep their names.
    for (std::size_t i = 0; i < graph_.scopes[0].outputs.size(); ++i) {
      const ValueId output = graph_.scopes[0].outputs[i];
      if (output == kNone || plan_.values[output].parameter) continue;
      own_is_low_[output] = plan_.scope_outputs[0][i] == Want::kLow;
    }
    for (std::size_t id = 0; id < graph_.values.size(); ++id) {
      const ValuePlan& value = plan_.values[id];
      const std::string name(graph_.values[id].name);
      names_[id] = {name, name};
      if (!value.float32) continue;
      const bool both = value.CastDown() || value.CastUp() ||
                        (value.parameter && value.wanted_low && value.wanted_high);
      if (!both) continue;
      if (own_is_low_[id]) {
        names_[id].high = fresh_.Make(name + "__float32");
      } else {
        names_[id].low = fresh_.Make(name + "__" + DtypeName(target_));
      }
    }
  }

  const std::string& NameFor(ValueId id, Want want) const {
    const ValuePlan& value = plan_.values[id];
    const bool as_computed = value.parameter ? own_is_low_[id] : static_cast<bool>(value.low);
    const bool low = want == Want::kLow || (want == Want::kAsItIs && as_computed);
    return low ? names_[id].low : names_[id].high;
  }

  void EditNode(NodeId id) {
    const Node& node = graph_.nodes[id];
    const FrameId frame = model_.places.nodes[id];
    WireReader reader(model_.file.bytes(), model_.places.frames[frame].body);
    WireField field;
    std::size_t input = 0;
    std::size_t output = 0;
    while (reader.Next(field)) {
      if (field.type != WireType::kBytes) continue;
      if (field.number == node_field::kInput) {
        const ValueId value = node.inputs[input];
        const Want want = plan_.inputs[id][input++];
        if (value == kNone || !plan_.values[value].float32) continue;
        const std::string& name = NameFor(value, want);
        if (name != graph_.values[value].name) edits_.ReplaceText(frame, field, name);
      } else if (field.number == node_field::kOutput) {
        const ValueId value = node.outputs[output++];
        if (value == kNone || !plan_.values[value].float32) continue;
        const std::string& name = NameFor(value, Want::kAsItIs);
        if (name != graph_.values[value].name) edits_.ReplaceText(frame, field, name);
      }
    }
  }

  // The outputs of inner graphs and functions: which version of a value they give.
  void EditOutputs(ScopeId id) {
    const Scope& scope = graph_.scopes[id];
    for (std::size_t i = 0; i < scope.outputs.size(); ++i) {
      const ValueId value = scope.outputs[i];
      if (value == kNone || !plan_.values[value].float32) continue;
      const Want want = plan_.scope_outputs[id][i];
      const std::string& name = NameFor(value, want);
      if (scope.function == kNone && want == Want::kLow) {
        RetypeValueInfo(model_, model_.places.outputs[id][i], target_, edits_);
      }
      if (name != graph_.values[value].name) RenameOutput(model_, id, i, name, edits_);
    }
  }

  void EditValue(ValueId id) {
    const Value& value = graph_.values[id];
    const ValuePlan& plan = plan_.values[id];
    if (!plan.float32) return;
    if (own_is_low_[id]) {
      for (const FrameId frame : model_.places.declarations[id])
        RetypeValueInfo(model_, frame, target_, edits_);
    }
    if (plan.parameter) {
      if (plan.wanted_low && plan.wanted_high) parameters_.Duplicate(id, names_[id].low);
      if (plan.wanted_low && !plan.wanted_high) parameters_.Convert(id);
      return;
    }
    if (plan.stored_low) parameters_.Convert(id);
    if (plan.CastDown()) InsertCast(value, names_[id].high, names_[id].low, target_);
    if (plan.CastUp()) InsertCast(value, names_[id].low, names_[id].high, Dtype::kFloat32);
  }

  // Right behind the node that computes the value, else before the first of its scope.
  void InsertCast(const Value& value, const std::string& from, const std::string& to, Dtype dtype) {
    const Scope& scope = graph_.scopes[value.scope];
    const FrameId frame = model_.places.scopes[value.scope];
    std::size_t at = model_.places.frames[frame].body.end;
    if (value.producer != kNone) {
      at = model_.places.frames[model_.places.nodes[value.producer]].whole.end;
    } else if (!scope.nodes.empty()) {
      at = model_.places.frames[model_.places.nodes[scope.nodes.front()]].whole.begin;
    }
    edits_.Insert(frame, at,
                  CastNode(graph_, value.scope, from, to, fresh_.Make(to + "_cast"), dtype));
  }

  const OnnxModel& model_;
  const Graph& graph_;
  const Plan& plan_;
  Dtype target_;
  FreshNames fresh_;
  FrameEdits edits_;
  OnnxParameters parameters_;
  std::vector<Names> names_;      // of each value
  std::vector<bool> own_is_low_;  // of each value: its own name means the low one
};

}  // namespace

EditList OnnxEdits(const OnnxModel& model, const Plan& plan, Dtype target, TensorData& data,
                   OnnxDataFile& data_file) {
  if (!plan.Changes()) return {};
  return OnnxEditor(model, plan, target, data, data_file).Edits();
}

}  // namespace opledger
