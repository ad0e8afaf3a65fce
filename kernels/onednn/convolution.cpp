// Conv on oneDNN, channels last.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/onednn/convolution.h"

#include "kernels/cpu/window/window.h"
#include "kernels/kernel/channels_last.h"
#include "kernels/kernel/fused_call.h"

namespace opledger::onednn {

Prepared PrepareConvolution(Convolution& shape, const Call& call, const TensorType& result) {
  shape.dtype = ComputedIn(call.Input(0).dtype);
  Contraction contraction;
  contraction.result = result;
  contraction.fixes_weights = true;
  for (const bool adds : {true, false}) {
    shape.epilogue = contraction.epilogue = EpilogueOf(call, adds);
    shape.result_dtype = ResultIn(call, shape.epilogue);
    shape.biased = IsFused(call) && call.Has(kFusedBias) && !shape.epilogue.scales;
    contraction.primitive = MakeConvolution(shape);
    if (contraction.primitive != nullptr) break;
  }
  const auto outputs = static_cast<std::size_t>(shape.outputs);
  const std::size_t taps = Elements(shape.window);
  contraction.weights =
      WeightsOf(call, outputs, shape.transposed ? taps : Elements(call.Shape(1)) / outputs);
  return FinishContraction(call, contraction);
}

const char* NotServed(const Call& call, const TensorType& result) {
  if (TakesUnknown(call) || call.constants[1] == nullptr) {
    return "its weights are computed at run time";
  }
  return Elements(result.dimensions) == 0 ? "it has an empty tensor" : nullptr;
}

bool HasChannelsSecond(const Call& call) { return !ChannelsLast(call); }
bool HasPlainBias(const Call& call) { return !IsFused(call) && call.Has(2); }

namespace {

// From this many taps on, planning in oneDNN takes far longer than running.
constexpr std::int64_t kLongWindow = 64;

// Removes dimensions of one pixel that do not matter. oneDNN vectorizes along the last dimension,
// which is faster if that one is long.
void DropSinglePixels(Window& window) {
  for (std::size_t d = window.Rank(); d-- > 0 && window.Rank() > 1;) {
    const bool single = window.input[d] == 1 && window.kernel[d] == 1 && window.output[d] == 1 &&
                        window.begin[d] == 0 && window.end[d] == 0;
    if (!single) continue;
    for (Dimensions* each : {&window.input, &window.kernel, &window.strides, &window.dilations,
                             &window.begin, &window.end, &window.output}) {
      each->erase(each->begin() + static_cast<std::ptrdiff_t>(d));
    }
  }
}

Prepared PrepareConv(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Conv", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const TensorType& result = reference.prepared.outputs[0];
  if (const char* why = NotServed(call, result); why != nullptr) return Refuse(why);
  Call seen = call;  // ReadWindow expects channels second
  seen.inputs[0]->dimensions = ToChannelsFirst(call.Shape(0));
  auto window = ReadWindow(seen);
  if (!window) return Refuse(window.status());
  DropSinglePixels(*window);
  if (window->kernel.back() >= kLongWindow && call.Shape(0).back() == 1) {
    return Refuse(
        "its window is long and has one channel, for which oneDNN generates code for each tap");
  }
  Convolution shape;
  shape.images = call.Shape(0)[0];
  shape.inputs = call.Shape(0).back();
  shape.outputs = call.Shape(1)[0];
  shape.groups = call.parameters.Integer("groups", 1);
  shape.input = window->input;
  shape.result = window->output;
  shape.window = window->kernel;
  shape.strides = window->strides;
  shape.dilations = window->dilations;
  shape.begin = window->begin;
  shape.end = window->end;
  return PrepareConvolution(shape, call, result);
}

// Always defined where this file is compiled; tells readers when the registration exists.
#ifdef OPLEDGER_HAS_ONEDNN
OPLEDGER_KERNEL(Conv, "cpu")
    .Types("T", {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16})
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24")
    .Refuses("its channels are not last", &HasChannelsSecond)
    .Refuses("its bias is not fused", &HasPlainBias)
    .By("oneDNN")
    .Run(&PrepareConv);
#endif

}  // namespace
}  // namespace opledger::onednn
