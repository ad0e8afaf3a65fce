// Softmax and normalisation over numbers that stand together.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/chain/chain.h"
#include "kernels/cuda/kernels/kernels.h"
#include "kernels/vector/reduce/reduce.h"

namespace opledger::cuda {
namespace {

// axes
template <bool kLogarithm>
Prepared PrepareSoftmax(const Call& call) {
  const auto size = TrailingSize(call.Shape(0), call.parameters.List("axes"));
  if (!size || *size == 0) return Refuse("its numbers do not stand together");
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  SoftmaxCall softmax = {};
  softmax.type = *ElementTypeOf(call.Input(0).dtype);
  softmax.logarithm = kLogarithm ? 1 : 0;
  softmax.size = static_cast<std::int64_t>(*size);
  softmax.rows = static_cast<std::int64_t>(Elements(call.Shape(0)) / *size);
  prepared.run = [softmax](const void* const* inputs, void* const* outputs, void*) {
    SoftmaxCall filled = softmax;
    filled.in = inputs[0];
    filled.out = outputs[0];
    Report(Module().softmax(&filled));
  };
  return prepared;
}

// Whether an operand has one number for each of a row, and the same for all rows: what is over the
// row's dimensions is 1, which it is where it has as many numbers as the row.
bool IsRow(const Dimensions& view, const Dimensions& operand, std::size_t size) {
  std::size_t inner_size = 1;
  for (std::size_t d = view.size(); d-- > 0 && inner_size < size;) {
    inner_size *= static_cast<std::size_t>(view[d]);
  }
  return inner_size == size && Elements(operand) == size;
}

// As the reference's.
Prepared PrepareNormalise(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Normalise", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const Dimensions view = call.parameters.List("view", call.Shape(0));
  const auto size = TrailingSize(view, call.parameters.List("axes"));
  if (!size || *size == 0) return Refuse("its numbers do not stand together");
  NormaliseCall normalise = {};
  for (std::size_t i = 1; i < 3; ++i) {
    if (!call.Has(i)) continue;
    const auto type = ElementTypeOf(call.Input(i).dtype);
    if (!IsRow(view, call.parameters.List("operand", call.Shape(i)), *size) || !type) {
      return Refuse("its scale or shift is no row of float32, float16 or bfloat16");
    }
    normalise.weight_type = *type;
  }
  normalise.type = *ElementTypeOf(call.Input(0).dtype);
  normalise.subtract_mean = call.parameters.Integer("subtract_mean", 1) != 0 ? 1 : 0;
  normalise.epsilon_in_sqrt = call.parameters.Integer("epsilon_in_sqrt", 1) != 0 ? 1 : 0;
  normalise.epsilon = call.parameters.Number("epsilon", 1e-5);
  normalise.size = static_cast<std::int64_t>(*size);
  normalise.rows = static_cast<std::int64_t>(Elements(view) / *size);
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  prepared.run = [normalise, scales = call.Has(1), shifts = call.Has(2)](
                     const void* const* inputs, void* const* outputs, void*) {
    NormaliseCall filled = normalise;
    filled.in = inputs[0];
    filled.scale = scales ? inputs[1] : nullptr;
    filled.shift = shifts ? inputs[2] : nullptr;
    filled.out = outputs[0];
    filled.means = static_cast<float*>(outputs[1]);
    filled.inverses = static_cast<float*>(outputs[2]);
    Report(Module().normalise(&filled));
  };
  return prepared;
}

OPLEDGER_KERNEL(Softmax, "cuda")
    .Types("T", OPLEDGER_CUDA_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp")
    .Run(&PrepareSoftmax<false>);
OPLEDGER_KERNEL(LogSoftmax, "cuda")
    .Types("T", OPLEDGER_CUDA_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp")
    .Run(&PrepareSoftmax<true>);
OPLEDGER_KERNEL(Normalise, "cuda")
    .Types("T", OPLEDGER_CUDA_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("4 ulp + n / 32 * 2^-24")
    .Run(&PrepareNormalise);

}  // namespace
}  // namespace opledger::cuda
