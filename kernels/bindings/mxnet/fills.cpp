// MXNet operators that make numbers by a rule, from shapes alone: they are constants of a plan.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/bindings/mxnet/node.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

Bound BindConstant(ConstantTensor tensor) {
  Bound bound;
  bound.constants.push_back(std::move(tensor));
  return bound;
}

Bound BindFilled(TensorType type, double value) {
  if (!CheckSize(type)) return Unbound(OutputProblem(type));
  return BindConstant(FilledTensor(std::move(type), value));
}

Bound BindZerosLike(const MxnetNode& node) { return BindFilled(node.Input(0), 0); }
Bound BindOnesLike(const MxnetNode& node) { return BindFilled(node.Input(0), 1); }

Bound BindFill(const MxnetNode& node) {
  const std::string_view op = node.op();
  const double value = op == "_full" ? node.Number("value", 0) : op == "_ones" ? 1 : 0;
  return BindFilled({node.Type("dtype").value_or(Dtype::kFloat32), node.List("shape")}, value);
}

// start + step * i, each `repeat` times.
Bound BindCounted(Dtype dtype, Dimensions shape, double start, double step, std::int64_t repeat) {
  TensorType type{dtype, std::move(shape)};
  if (!CheckSize(type)) return Unbound(OutputProblem(type));
  if (repeat < 1) return Unbound("it repeats its numbers less than once");
  ConstantTensor tensor(type);
  const std::size_t count = Elements(type.dimensions);
  const bool is = WithNumber(dtype, [&]<typename T>(T*) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t steps = i / static_cast<std::size_t>(repeat);
      const double value = start + step * static_cast<double>(steps);
      Store(tensor.As<T>()[i], static_cast<Computed<T>>(value));
    }
  });
  return is ? BindConstant(std::move(tensor)) : Unbound("it makes no numbers");
}

// Without a stop, from 0 to the start.
Bound BindArange(const MxnetNode& node) {
  const bool open = !node.HasAttribute("stop");
  if (node.Flag("infer_range", false)) return Unbound("its length follows from what reads it");
  const double start = open ? 0 : node.Number("start", 0);
  const double stop = open ? node.Number("start", 0) : node.Number("stop", 0);
  const double step = node.Number("step", 1);
  const std::int64_t repeat = node.Integer("repeat", 1);
  const double count = step == 0 ? -1 : std::ceil((stop - start) / step);
  if (!(count >= 0 && count < 1e12) || repeat < 1 || repeat > 1000000) {
    return Unbound("its range is none");
  }
  return BindCounted(node.Type("dtype").value_or(Dtype::kFloat32),
                     {static_cast<std::int64_t>(count) * repeat}, start, step, repeat);
}

// As many numbers as its input has, or along one axis of it.
Bound BindArangeLike(const MxnetNode& node) {
  Dimensions shape = node.Shape(0);
  if (node.HasAttribute("axis")) {
    const auto axis = node.Axis("axis", 0);
    if (!axis) return Unbound("it has no such axis");
    shape = {shape[static_cast<std::size_t>(*axis)]};
  }
  return BindCounted(node.Input(0).dtype, std::move(shape), node.Number("start", 0),
                     node.Number("step", 1), node.Integer("repeat", 1));
}

Bound BindEye(const MxnetNode& node) {
  const std::int64_t rows = node.Integer("N", 0);
  const std::int64_t asked = node.Integer("M", 0);
  const std::int64_t columns = asked == 0 ? rows : asked;
  const TensorType type{node.Type("dtype").value_or(Dtype::kFloat32), {rows, columns}};
  if (!CheckSize(type)) return Unbound(OutputProblem(type));
  const std::int64_t far = std::max(rows, columns);  // from there on nothing is on it
  const std::int64_t diagonal = std::clamp(node.Integer("k", 0), -far, far);
  ConstantTensor tensor(type);
  const bool is = WithNumber(type.dtype, [&]<typename T>(T*) {
    const std::int64_t first = std::max<std::int64_t>(0, -diagonal);
    for (std::int64_t row = first; row < rows && row + diagonal < columns; ++row) {
      Store(tensor.As<T>()[row * columns + row + diagonal], Computed<T>(1));
    }
  });
  return is ? BindConstant(std::move(tensor)) : Unbound("it makes no numbers");
}

}  // namespace

const std::vector<MxnetBinding>& MxnetFills() {
  static const std::vector<MxnetBinding> kTable = {
      {"_arange", BindArange, 0},  {"_contrib_arange_like", BindArangeLike},
      {"_eye", BindEye, 0},        {"_full", BindFill, 0},
      {"_ones", BindFill, 0},      {"_zeros", BindFill, 0},
      {"ones_like", BindOnesLike}, {"zeros_like", BindZerosLike},
  };
  return kTable;
}

}  // namespace opledger
