// ONNX's operators of signal processing. Window functions are constants, once their size is known.
// https://onnx.ai/onnx/operators/onnx__HannWindow.html and its like have the formulas.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/bindings/onnx/node.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// constant + first * cos(x) + second * cos(2 x)
struct CosineSum {
  double constant;
  double first;
  double second;
};

Bound WindowOf(const OnnxNode& node, const CosineSum& sum) {
  constexpr double kTwoPi = 6.283185307179586476925;
  const auto size = node.KnownIntegers(0);
  const auto dtype = OnnxDtype(node.Integer("output_datatype", 1));
  if (!size || size->size() != 1) return Unbound("its size is computed as the model runs");
  if (!dtype) return Unbound("it makes a type that has no name here");
  const TensorType type{*dtype, {(*size)[0]}};
  if (!CheckSize(type)) return Unbound(OutputProblem(type));
  const bool periodic = node.Integer("periodic", 1) != 0;
  const double period = static_cast<double>((*size)[0] - (periodic ? 0 : 1));
  ConstantTensor window(type);
  const bool is = WithNumber(*dtype, [&]<typename T>(T*) {
    for (std::int64_t i = 0; i < (*size)[0]; ++i) {
      const double x = period == 0 ? 0 : kTwoPi * static_cast<double>(i) / period;
      const double value = sum.constant + sum.first * std::cos(x) + sum.second * std::cos(2 * x);
      Store(window.As<T>()[i], static_cast<Computed<T>>(value));
    }
  });
  if (!is) return Unbound("it makes no numbers");
  Bound bound;
  bound.constants.push_back(std::move(window));
  return bound;
}

Bound BindHann(const OnnxNode& node) { return WindowOf(node, {0.5, -0.5, 0}); }
Bound BindHamming(const OnnxNode& node) { return WindowOf(node, {25.0 / 46, -21.0 / 46, 0}); }
Bound BindBlackman(const OnnxNode& node) { return WindowOf(node, {0.42, -0.5, 0.08}); }

// Since opset 20 its axis is an input.
Bound BindDft(const OnnxNode& node) {
  std::int64_t named = node.Integer("axis", node.opset() < 20 ? 1 : -2);
  if (node.Has(2)) {
    const auto known = node.KnownIntegers(2);
    if (!known || known->size() != 1) return Unbound("its axis is computed as the model runs");
    named = (*known)[0];
  }
  const auto axis = AxisOf(named, node.Rank(0));
  if (!axis) return Unbound("it has no such axis");
  Bound bound = BindFirst(node, "Dft");
  if (node.Has(1)) {
    const auto length = node.KnownIntegers(1);
    if (!length || length->size() != 1) return Unbound("its length is computed as the model runs");
    bound.parameters.Set("length", (*length)[0]);
  }
  bound.parameters.Set("axis", *axis);
  bound.parameters.Set("inverse", node.Integer("inverse", 0));
  bound.parameters.Set("half", node.Integer("onesided", 0));
  return bound;
}

Bound BindStft(const OnnxNode& node) {
  const auto step = node.KnownIntegers(1);
  const auto length = node.Has(3) ? node.KnownIntegers(3) : Integers{};
  if (!step || step->size() != 1 || !length)
    return Unbound("its step is computed as the model runs");
  Bound bound = BindFirst(node, "Stft");
  if (node.Has(2)) bound.inputs.push_back(2);
  const bool windowed = node.Has(2) && node.Rank(2) == 1;
  if (length->empty() && !windowed) return Unbound("it has neither a window nor a length");
  bound.parameters.Set("step", (*step)[0]);
  bound.parameters.Set("length", length->empty() ? node.Input(2).dimensions[0] : (*length)[0]);
  bound.parameters.Set("half", node.Integer("onesided", 1));
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& OnnxWindows() {
  static const std::vector<OnnxBinding> kTable = {
      {"BlackmanWindow", BindBlackman}, {"DFT", BindDft},   {"HammingWindow", BindHamming},
      {"HannWindow", BindHann},         {"STFT", BindStft},
  };
  return kTable;
}

}  // namespace opledger
