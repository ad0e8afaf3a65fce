// Reads ONNX's If, Loop, Scan and SequenceMap as control flow.
// https://onnx.ai/onnx/operators/onnx__Loop.html, onnx__Scan.html
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/onnx/control_flow.h"

#include "conversion/model/onnx/attribute_values.h"
#include "conversion/model/operators/shapes.h"
#include "kernels/bindings/control_flow.h"

namespace opledger {
namespace {

using From = InnerInput::From;

int InputAt(const Node& node, std::size_t input) {
  return input < node.inputs.size() && node.inputs[input] != kNone ? static_cast<int>(input) : -1;
}

// Adds the values that an inner graph captures; they follow the node's inputs.
void AddCaptured(const Graph& graph, const Node& node, InnerGraph& inner) {
  std::size_t at = node.inputs.size();
  for (const ValueId value : CapturedValues(graph, node)) {
    inner.inputs.push_back({value, From::kOuter, at++});
  }
}

ControlFlow ReadIf(const Graph& graph, const Node& node) {
  ControlFlow flow;
  flow.condition = InputAt(node, 0);
  if (flow.condition < 0) return CannotRun("it has no condition");
  for (const char* branch : {"then_branch", "else_branch"}) {
    InnerGraph inner{InnerScope(node, branch), {}};
    if (inner.scope == kNone) return CannotRun("it does not have two branches");
    AddCaptured(graph, node, inner);
    flow.graphs.push_back(std::move(inner));
  }
  return flow;
}

// Node: M, condition, carried ... -> carried ..., stacked ...; body: iteration, condition, carried
// ... -> condition, carried ..., stacked ...
ControlFlow ReadLoop(const Graph& graph, const Node& node) {
  ControlFlow flow;
  flow.kind = ControlFlow::Kind::kLoop;
  flow.trips = InputAt(node, 0);
  flow.condition = InputAt(node, 1);
  InnerGraph body{InnerScope(node, "body"), {}};
  const std::size_t carried = node.inputs.size() < 2 ? 0 : node.inputs.size() - 2;
  if (body.scope == kNone || graph.scopes[body.scope].inputs.size() != carried + 2 ||
      graph.scopes[body.scope].outputs.size() < carried + 1) {
    return CannotRun("its body does not match its inputs and outputs");
  }
  const Scope& scope = graph.scopes[body.scope];
  body.inputs.push_back({scope.inputs[0], From::kIteration, 0});
  body.inputs.push_back({scope.inputs[1], From::kCondition, 0});
  for (std::size_t i = 0; i < carried; ++i) {
    body.inputs.push_back({scope.inputs[i + 2], From::kCarried, i});
    flow.carried.push_back({InputAt(node, i + 2), static_cast<int>(i + 1)});
    flow.results.push_back({false, i});
  }
  flow.condition_output = 0;
  for (std::size_t i = carried + 1; i < scope.outputs.size(); ++i) {
    flow.results.push_back({true, flow.stacked.size()});
    flow.stacked.push_back({static_cast<int>(i), 0, false});
  }
  AddCaptured(graph, node, body);
  flow.graphs.push_back(std::move(body));
  return flow;
}

// Element `at` of a list; `absent` if the list is shorter.
std::int64_t NumberAt(const Integers& list, std::size_t at, std::int64_t absent) {
  return at < list.size() ? list[at] : absent;
}

// Node and body: carried ..., sliced ... -> carried ..., stacked ...
ControlFlow ReadScan(const OnnxModel& model, NodeId id) {
  const Graph& graph = model.graph;
  const Node& node = graph.nodes[id];
  const auto& opsets = graph.OpsetsIn(node.scope);
  const auto opset = opsets.find(node.domain);
  if (opset != opsets.end() && opset->second < 9)
    return CannotRun("it has a batch dimension, as in opset 8");
  const Attribute* slices = node.Find("num_scan_inputs");
  const std::int64_t sliced = slices == nullptr ? 0 : slices->integer;
  InnerGraph body{InnerScope(node, "body"), {}};
  const auto inputs = static_cast<std::int64_t>(node.inputs.size());
  if (body.scope == kNone || sliced < 1 || sliced > inputs ||
      graph.scopes[body.scope].inputs.size() != node.inputs.size() ||
      static_cast<std::int64_t>(graph.scopes[body.scope].outputs.size()) < inputs - sliced) {
    return CannotRun("its body does not match its inputs and outputs");
  }
  const Scope& scope = graph.scopes[body.scope];
  const auto carried = static_cast<std::size_t>(inputs - sliced);
  ControlFlow flow;
  flow.kind = ControlFlow::Kind::kLoop;
  const Integers axes = AttributeIntegers(model, id, "scan_input_axes");
  const Integers directions = AttributeIntegers(model, id, "scan_input_directions");
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (i < carried) {
      body.inputs.push_back({scope.inputs[i], From::kCarried, i});
      flow.carried.push_back({InputAt(node, i), static_cast<int>(i)});
      flow.results.push_back({false, i});
    } else {
      const std::size_t k = i - carried;
      body.inputs.push_back({scope.inputs[i], From::kSlice, k});
      flow.slices.push_back(
          {InputAt(node, i), NumberAt(axes, k, 0), NumberAt(directions, k, 0) != 0});
    }
  }
  const Integers out_axes = AttributeIntegers(model, id, "scan_output_axes");
  const Integers out_directions = AttributeIntegers(model, id, "scan_output_directions");
  for (std::size_t i = carried; i < scope.outputs.size(); ++i) {
    const std::size_t k = i - carried;
    flow.results.push_back({true, k});
    flow.stacked.push_back(
        {static_cast<int>(i), NumberAt(out_axes, k, 0), NumberAt(out_directions, k, 0) != 0});
  }
  AddCaptured(graph, node, body);
  flow.graphs.push_back(std::move(body));
  return flow;
}

// Inputs: sequences, and values shared by all elements; the body has an input for each.
ControlFlow ReadSequenceMap(const Graph& graph, const Node& node) {
  ControlFlow flow;
  flow.kind = ControlFlow::Kind::kMap;
  InnerGraph body{InnerScope(node, "body"), {}};
  if (body.scope == kNone || graph.scopes[body.scope].inputs.size() != node.inputs.size()) {
    return CannotRun("its body does not match its inputs");
  }
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    body.inputs.push_back({graph.scopes[body.scope].inputs[i], From::kOuter, i});
  }
  AddCaptured(graph, node, body);
  flow.graphs.push_back(std::move(body));
  return flow;
}

}  // namespace

std::optional<ControlFlow> ReadOnnxControlFlow(const OnnxModel& model, NodeId id) {
  const Node& node = model.graph.nodes[id];
  if (!node.domain.empty() && node.domain != "ai.onnx") return std::nullopt;
  if (node.op == "If") return ReadIf(model.graph, node);
  if (node.op == "SequenceMap") return ReadSequenceMap(model.graph, node);
  if (node.op != "Loop" && node.op != "Scan") return std::nullopt;
  ControlFlow flow = node.op == "Loop" ? ReadLoop(model.graph, node) : ReadScan(model, id);
  const ReadFlow read = [&](NodeId inner) { return ReadOnnxControlFlow(model, inner); };
  CaptureUnchanged(model.graph, "Identity", read, flow);
  return flow;
}

}  // namespace opledger
