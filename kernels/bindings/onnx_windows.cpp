// ONNX's window functions of signal processing: constants, once their size is known.
// https://onnx.ai/onnx/operators/onnx__HannWindow.html and its like have the formulas.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/bindings/onnx_node.h"
#include "kernels/element.h"

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

}  // namespace

const std::vector<OnnxBinding>& OnnxWindows() {
  static const std::vector<OnnxBinding> kTable = {
      {"BlackmanWindow", BindBlackman},
      {"HammingWindow", BindHamming},
      {"HannWindow", BindHann},
  };
  return kTable;
}

}  // namespace opledger
