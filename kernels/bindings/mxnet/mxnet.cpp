// Finds the binding of an operator in the tables of this folder.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/mxnet/mxnet.h"

#include <cstring>
#include <map>

#include "kernels/bindings/mxnet/control_flow.h"
#include "kernels/bindings/mxnet/node.h"

namespace opledger {
namespace {

const std::map<std::string_view, const MxnetBinding*>& ByMxnetOperator() {
  static const auto all = [] {
    std::map<std::string_view, const MxnetBinding*> map;
    for (const auto* table :
         {&MxnetElementwise(), &MxnetBinary(), &MxnetMoves(), &MxnetShapes(), &MxnetContractions(),
          &MxnetAttention(), &MxnetReductions(), &MxnetNormalisations(), &MxnetSpatial(),
          &MxnetIndexing(), &MxnetFills(), &MxnetAmp(), &MxnetRecurrent(), &MxnetRegions()}) {
      for (const MxnetBinding& binding : *table) map[binding.op] = &binding;
    }
    return map;
  }();
  return all;
}

// Loads an array of the parameters.
StatusOr<ConstantTensor> LoadMxnetArray(const MxnetParams& params, TensorId id) {
  const MxnetArray& array = params.arrays[static_cast<std::size_t>(id)];
  const std::string name = "array '" + std::string(array.name) + "' ";
  if (!params.IsDense(static_cast<std::size_t>(id)) || !array.dtype) {
    return Status(name + "is sparse, or has a type that no kernel supports");
  }
  const TensorType type{*array.dtype, array.dimensions};
  if (!CheckSize(type)) {
    return Status(name + "is " + Text(type) + ": " + SizeProblem(type));
  }
  const bool lies_there = array.data.size() != 0;
  if (lies_there && array.data.size() != Bytes(type)) {
    return Status(name + "has more or fewer elements than its shape");
  }
  ConstantTensor tensor(type);
  std::size_t at = 0;
  const bool whole =
      ForEachPiece(params, static_cast<std::size_t>(id), [&](std::string_view piece) {
        if (piece.size() > Bytes(type) - at) return false;
        if (!piece.empty()) std::memcpy(tensor.data.get() + at, piece.data(), piece.size());
        at += piece.size();
        return true;
      });
  if (whole && at == Bytes(type)) return tensor;
  return Status(name + "has more or fewer elements than its shape");
}

// Returns whether the inputs that a binding reads unconditionally are present.
bool HasInputs(const MxnetNode& node, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!node.Has(i)) return false;
  }
  return true;
}

LoweredNode BindMxnetNode(const MxnetModel& model, const NodeInputs& inputs) {
  const Graph& graph = model.symbol.graph;
  const MxnetNode node(graph, inputs);
  const auto listed = ByMxnetOperator().find(node.op());
  const MxnetBinding* const found =
      listed == ByMxnetOperator().end() ? FindByMeaning(node.op()) : listed->second;
  if (found == nullptr) return Unsupported("there is no kernel for it");
  const std::size_t needed = found->inputs;
  if (!HasInputs(node, needed)) {
    return Unsupported("it needs " + std::to_string(needed) + " inputs, but has " +
                       std::to_string(node.inputs()));
  }
  LoweredNode bound = found->bind(node);
  return node.missing() ? Unsupported(MissingText(*node.missing())) : std::move(bound);
}

}  // namespace

Binding BindMxnet(const MxnetModel& model) {
  Binding binding;
  binding.load = [&model](TensorId id) { return LoadMxnetArray(*model.params, id); };
  binding.bind = [&model](const NodeInputs& inputs) { return BindMxnetNode(model, inputs); };
  binding.control_flow = [&model](NodeId id) {
    return ReadMxnetControlFlow(model.symbol.graph, model.symbol.graph.nodes[id]);
  };
  return binding;
}

}  // namespace opledger
