// Softmax and normalization of contiguous groups.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/chain/chain.h"
#include "kernels/cuda/kernels/kernels.h"
#include "kernels/vector/reduce/reduce.h"

namespace opledger::cuda {
namespace {

// Parameter: axes.
template <bool kLogarithm>
Prepared PrepareSoftmax(const Call& call) {
  const auto size = TrailingSize(call.Shape(0), call.parameters.List("axes"));
  if (!size || *size == 0) return Refuse("its groups are not contiguous");
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

// Describes the indices of weights as NormaliseCall does.
struct WeightPlaces {
  std::int64_t inner = 1;
  std::int64_t period = 1;
};

// Returns nullopt if an operand of that shape does not have one value for each `inner` adjacent
// elements, repeating after `period` values, or if rows start within such elements.
std::optional<WeightPlaces> WeightPlacesOf(const Dimensions& view, const Dimensions& operand,
                                           std::int64_t size) {
  if (operand.size() > view.size()) return std::nullopt;
  Dimensions own(view.size() - operand.size(), 1);
  own.insert(own.end(), operand.begin(), operand.end());
  std::size_t begin = 0;
  std::size_t end = own.size();
  while (begin < end && own[begin] == 1) ++begin;
  while (end > begin && own[end - 1] == 1) --end;
  WeightPlaces places;
  for (std::size_t d = begin; d < view.size(); ++d) {
    if (d < end && own[d] != view[d]) return std::nullopt;
    (d < end ? places.period : places.inner) *= view[d];
  }
  if (begin == end) places.inner = size;
  if (places.inner == 0 || size % places.inner != 0) return std::nullopt;
  return places.period % (size / places.inner) == 0 ? std::optional(places) : std::nullopt;
}

// Takes the parameters of the reference.
Prepared PrepareNormalise(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Normalise", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const Dimensions view = call.parameters.List("view", call.Shape(0));
  const auto size = TrailingSize(view, call.parameters.List("axes"));
  if (!size || *size == 0) return Refuse("its groups are not contiguous");
  NormaliseCall normalise = {};
  normalise.weight_inner = 1;
  normalise.weight_period = static_cast<std::int64_t>(*size);
  for (std::size_t i = 1; i < 3; ++i) {
    if (!call.Has(i)) continue;
    const auto type = ElementTypeOf(call.Input(i).dtype);
    const auto places = WeightPlacesOf(view, call.parameters.List("operand", call.Shape(i)),
                                       static_cast<std::int64_t>(*size));
    if (!places || !type || *type > kBf16) {
      return Refuse("its scale or shift is not of floats, or its elements are not contiguous");
    }
    if (i == 2 && call.Has(1) &&
        (places->inner != normalise.weight_inner || places->period != normalise.weight_period)) {
      return Refuse("its scale and shift differ in shape");
    }
    normalise.weight_type = *type;
    normalise.weight_inner = places->inner;
    normalise.weight_period = places->period;
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
