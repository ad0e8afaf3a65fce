// Numbers the operands of calls: first the node's inputs, then the constants, then the results of
// earlier calls.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/call_chain.h"

#include <algorithm>

#include "kernels/tensor/element.h"

namespace opledger {

int CallChain::Operand(ConstantTensor tensor) {
  bound_.operands.push_back(std::move(tensor));
  return kOperands + static_cast<int>(bound_.operands.size()) - 1;
}

int CallChain::Scalar(Dtype dtype, double value) {
  return Operand(FilledTensor({dtype, {}}, value));
}

int CallChain::Integers64(const Integers& values) {
  ConstantTensor tensor({Dtype::kInt64, {static_cast<std::int64_t>(values.size())}});
  std::copy(values.begin(), values.end(), tensor.As<std::int64_t>());
  return Operand(std::move(tensor));
}

int CallChain::Call(std::string kernel, std::vector<int> inputs) {
  KernelCall& call = bound_.before.emplace_back();
  call.kernel = std::move(kernel);
  call.inputs = std::move(inputs);
  call.results = {KernelCall::kForLaterCalls};
  return results_++;
}

int CallChain::CallForSecond(std::string kernel, std::vector<int> inputs) {
  const int number = Call(std::move(kernel), std::move(inputs));
  Last().results = {-1, KernelCall::kForLaterCalls};
  return number;
}

int CallChain::CallForAll(std::string kernel, std::vector<int> inputs, int outputs) {
  const int number = Call(std::move(kernel), std::move(inputs));
  Last().results.assign(static_cast<std::size_t>(outputs), KernelCall::kForLaterCalls);
  results_ = number + outputs;
  return number;
}

void CallChain::Give(std::string kernel, std::vector<int> inputs, int output) {
  results_ = Call(std::move(kernel), std::move(inputs));
  Last().results = {output};
}

int CallChain::Reshaped(int input, Dimensions shape) {
  const int number = Call("Reshape", {input});
  Last().parameters.Set("shape", std::move(shape));
  return number;
}

int CallChain::Transposed(int input, Integers order) {
  const int number = Call("Transpose", {input});
  Last().parameters.Set("order", std::move(order));
  return number;
}

int CallChain::Cast(int input, Dtype to) {
  const int number = Call("Cast", {input});
  Last().parameters.Set("to", DtypeName(to));
  return number;
}

int CallChain::Gathered(int input, int indices, std::int64_t axis) {
  const int number = Call("Gather", {input, indices});
  Last().parameters.Set("axis", axis);
  return number;
}

int CallChain::Split(int input, std::int64_t axis, const Integers& sizes) {
  const int number = CallForAll("Split", {input}, static_cast<int>(sizes.size()));
  Last().parameters.Set("axis", axis);
  Last().parameters.Set("sizes", sizes);
  return number;
}

void CallChain::Number(std::vector<int>& inputs) {
  const int constants = static_cast<int>(bound_.operands.size());
  for (int& input : inputs) {
    if (input >= kResults) {
      input += inputs_ + constants - kResults;
    } else if (input >= kOperands) {
      input += inputs_ - kOperands;
    } else if (input >= inputs_ && bound_.problem.ok()) {
      bound_.problem = MissingText(static_cast<std::size_t>(input));
    }
  }
}

LoweredNode CallChain::Finish() && {
  for (KernelCall& call : bound_.before) Number(call.inputs);
  Number(bound_.inputs);
  if (bound_.list) Number(*bound_.list);
  return std::move(bound_);
}

LoweredNode CallChain::Finish(std::string kernel, std::vector<int> inputs) && {
  bound_.kernel = std::move(kernel);
  bound_.inputs = std::move(inputs);
  return std::move(*this).Finish();
}

LoweredNode CallChain::FinishFirst(std::string kernel, std::vector<int> inputs) && {
  bound_.results = {0};
  return std::move(*this).Finish(std::move(kernel), std::move(inputs));
}

LoweredNode CallChain::FinishList(std::vector<int> elements) && {
  bound_.list = std::move(elements);
  return std::move(*this).Finish();
}

ConstantTensor FilledTensor(TensorType type, double value) {
  ConstantTensor tensor(std::move(type));
  const std::size_t count = Elements(tensor.type.dimensions);
  const bool is = WithNumber(tensor.type.dtype, [&]<typename T>(T*) {
    T element;
    Store(element, static_cast<Computed<T>>(value));
    std::fill_n(tensor.As<T>(), count, element);
  });
  if (!is) std::fill_n(tensor.As<std::uint8_t>(), count, value != 0 ? 1 : 0);
  return tensor;
}

}  // namespace opledger
