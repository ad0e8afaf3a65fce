// Widens the declared types of the graph, and the binding's constants and requested types.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/model/float64_oracle.h"

#include "kernels/tensor/element.h"

namespace opledger {

ConstantTensor Upcast(const ConstantTensor& tensor) {
  if (!IsFloat(tensor.type.dtype) || tensor.type.dtype == Dtype::kFloat64) return tensor;
  ConstantTensor wide({Dtype::kFloat64, tensor.type.dimensions});
  const std::size_t count = Elements(tensor.type.dimensions);
  WithFloat(tensor.type.dtype, [&]<typename T>(T*) {
    for (std::size_t i = 0; i < count; ++i) wide.As<double>()[i] = Load(tensor.As<T>()[i]);
  });
  return wide;
}

ConstantTensor Downcast(const ConstantTensor& tensor, Dtype dtype) {
  if (tensor.type.dtype != Dtype::kFloat64 || !IsFloat(dtype)) return tensor;
  ConstantTensor narrow({dtype, tensor.type.dimensions});
  const std::size_t count = Elements(tensor.type.dimensions);
  WithFloat(dtype, [&]<typename T>(T*) {
    for (std::size_t i = 0; i < count; ++i) {
      Store(narrow.As<T>()[i], static_cast<Computed<T>>(tensor.As<double>()[i]));
    }
  });
  return narrow;
}

namespace {

void UpcastCall(KernelCall& call) {
  const auto to = ParseDtype(call.parameters.Word("to", ""));
  if (to && IsFloat(*to)) call.parameters.Set("to", DtypeName(Dtype::kFloat64));
}

}  // namespace

Float64Oracle MakeFloat64Oracle(const Graph& graph, const Binding& binding) {
  Float64Oracle model{graph, {}};
  for (Value& value : model.graph.values) {
    if (value.type.dtype && IsFloat(*value.type.dtype)) value.type.dtype = Dtype::kFloat64;
  }
  model.binding.load = [load = binding.load](TensorId id) {
    auto tensor = load(id);
    if (tensor) *tensor = Upcast(*tensor);
    return tensor;
  };
  model.binding.bind = [bind = binding.bind](const NodeInputs& inputs) {
    LoweredNode bound = bind(inputs);
    for (ConstantTensor& constant : bound.constants) constant = Upcast(constant);
    for (ConstantTensor& operand : bound.operands) operand = Upcast(operand);
    for (KernelCall& call : bound.before) UpcastCall(call);
    UpcastCall(bound);
    return bound;
  };
  model.binding.control_flow = binding.control_flow;
  model.binding.prepare_control_flow = binding.prepare_control_flow;
  return model;
}

}  // namespace opledger
