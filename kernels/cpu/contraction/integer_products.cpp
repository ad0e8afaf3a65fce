// MatMulInteger and ConvInteger: products of 8-bit integers minus their zero points, summed in
// int32 with wraparound. https://onnx.ai/onnx/operators/onnx__MatMulInteger.html,
// onnx__ConvInteger.html
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "kernels/cpu/contraction/contraction.h"
#include "kernels/cpu/contraction/matrix_stacks.h"
#include "kernels/cpu/contraction/zero_points.h"
#include "kernels/cpu/window/window.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/broadcast.h"

namespace opledger {
namespace {

// Unsigned, so that sums wrap around.
using Sum = std::uint32_t;

struct IntegerMatMul {
  std::size_t rows = 1;
  std::size_t inner = 1;
  std::size_t columns = 1;
  ZeroPoints a, b;

  // Widens both factors, subtracts the zero points, and multiplies them. Overwrites `sums`.
  void Multiply(const void* const* inputs, std::size_t which_a, std::size_t which_b, Sum* sums,
                Sum* wide_a, Sum* wide_b) const {
    const auto byte = [&](std::size_t input, bool is_signed, std::size_t at) {
      return ByteAt(inputs[input], is_signed, at);
    };
    for (std::size_t i = 0; i < rows; ++i) {
      const Sum zero = a.At(inputs[2], which_a, i);
      for (std::size_t k = 0; k < inner; ++k) {
        wide_a[i * inner + k] = byte(0, a.is_signed, (which_a * rows + i) * inner + k) - zero;
      }
    }
    for (std::size_t k = 0; k < inner; ++k) {
      for (std::size_t j = 0; j < columns; ++j) {
        const std::size_t at = (which_b * inner + k) * columns + j;
        wide_b[k * columns + j] = byte(1, b.is_signed, at) - b.At(inputs[3], which_b, j);
      }
    }
    std::fill_n(sums, rows * columns, Sum(0));
    MultiplyAdd<Sum>(rows, inner, columns, wide_a, inner, 1, wide_b, sums);
  }
};

// Inputs: a, b, zero points of a (one, or one per row) and of b (one, or one per column).
Prepared PrepareMatMulInteger(const Call& call) {
  if (!FactorsAreBytes(call)) return Refuse("its factors are not 8-bit integers");
  const auto stacks = ReadMatrixStacks(call);
  if (!stacks) return Refuse(stacks.status());
  IntegerMatMul product;
  product.rows = stacks->rows;
  product.inner = stacks->inner;
  product.columns = stacks->columns;
  std::string problem = ReadZeros(call, 2, product.rows, Elements(stacks->a), product.a);
  if (problem.empty()) {
    problem = ReadZeros(call, 3, product.columns, Elements(stacks->b), product.b);
  }
  if (!problem.empty()) return Refuse(problem);
  const BroadcastWalk walk(stacks->whole, {stacks->a, stacks->b});
  Prepared prepared;
  prepared.outputs = {{Dtype::kInt32, stacks->result}};
  prepared.workspace = (product.rows + product.columns) * product.inner * sizeof(Sum);
  prepared.run = [product, walk, b_zero = call.Has(3), a_zero = call.Has(2)](
                     const void* const* inputs, void* const* outputs, void* workspace) {
    const void* all[] = {inputs[0], inputs[1], a_zero ? inputs[2] : nullptr,
                         b_zero ? inputs[3] : nullptr};
    auto* wide = static_cast<Sum*>(workspace);
    walk.Rows([&](std::size_t at, const std::int64_t* offsets, std::size_t count,
                  const std::int64_t* steps) {
      for (std::size_t i = 0; i < count; ++i) {
        const auto k = static_cast<std::int64_t>(i);
        product.Multiply(all, static_cast<std::size_t>(offsets[0] + k * steps[0]),
                         static_cast<std::size_t>(offsets[1] + k * steps[1]),
                         static_cast<Sum*>(outputs[0]) + (at + i) * product.rows * product.columns,
                         wide, wide + product.rows * product.inner);
      }
    });
  };
  return prepared;
}

struct IntegerConvolution {
  Window window;
  std::size_t images = 0;
  std::size_t groups = 1;
  std::size_t inputs = 0;   // channels of one group
  std::size_t outputs = 0;  // channels of one group
  ZeroPoints x, w;
  bool biased = false;

  std::size_t Rows() const { return inputs * window.Taps(); }

  void Run(const void* const* from, Sum* out, Sum* workspace) const {
    const std::size_t positions = window.Positions();
    const std::size_t pixels = Elements(window.input);
    Sum* columns = workspace;
    Sum* wide = columns + Rows() * positions;
    const Sum x_zero = x.At(from[2], 0, 0);
    for (std::size_t i = 0; i < images * groups; ++i) {
      const std::size_t first = i % groups * outputs;
      std::fill_n(columns, Rows() * positions, Sum(0));
      for (std::size_t position = 0; position < positions; ++position) {
        ForEachTap(window, position, [&](std::size_t tap, std::size_t index) {
          for (std::size_t c = 0; c < inputs; ++c) {
            columns[(c * window.Taps() + tap) * positions + position] =
                ByteAt(from[0], x.is_signed, (i * inputs + c) * pixels + index) - x_zero;
          }
        });
      }
      Sum* sums = out + i * outputs * positions;
      for (std::size_t o = 0; o < outputs; ++o) {
        const Sum zero = w.At(from[3], 0, first + o);
        for (std::size_t k = 0; k < Rows(); ++k) {
          wide[o * Rows() + k] = ByteAt(from[1], w.is_signed, (first + o) * Rows() + k) - zero;
        }
        const Sum start = biased ? static_cast<const Sum*>(from[4])[first + o] : 0;
        std::fill_n(sums + o * positions, positions, start);
      }
      MultiplyAdd<Sum>(outputs, Rows(), positions, wide, Rows(), 1, columns, sums);
    }
  }
};

// Inputs: x, weights, zero points of x (one) and of the weights (one, or one per output), bias
// (int32). Parameters: groups and a window.
Prepared PrepareConvInteger(const Call& call) {
  if (!FactorsAreBytes(call)) return Refuse("its input and weights are not 8-bit integers");
  const auto window = ReadWindow(call);
  if (!window) return Refuse(window.status());
  const Dimensions& in = call.Shape(0);
  const Dimensions& weights = call.Shape(1);
  const std::int64_t groups = call.parameters.Integer("groups", 1);
  if (in.size() < 3 || weights.size() != in.size() || groups < 1 || in[1] % groups != 0 ||
      weights[0] % groups != 0 || weights[1] * groups != in[1]) {
    return Refuse("its channels do not match its weights");
  }
  if (Dimensions(weights.begin() + 2, weights.end()) != window->kernel) {
    return Refuse("its window does not match its weights");
  }
  IntegerConvolution convolution;
  convolution.window = *window;
  convolution.images = static_cast<std::size_t>(in[0]);
  convolution.groups = static_cast<std::size_t>(groups);
  convolution.inputs = static_cast<std::size_t>(in[1] / groups);
  convolution.outputs = static_cast<std::size_t>(weights[0] / groups);
  convolution.biased = call.Has(4);
  if (convolution.biased &&
      (call.Input(4).dtype != Dtype::kInt32 || call.Shape(4) != Dimensions{weights[0]})) {
    return Refuse("its bias is not one int32 per output");
  }
  std::string problem = ReadZeros(call, 2, 1, 1, convolution.x);
  if (problem.empty()) {
    problem = ReadZeros(call, 3, static_cast<std::size_t>(weights[0]), 1, convolution.w);
  }
  if (!problem.empty()) return Refuse(problem);
  Prepared prepared;
  prepared.outputs = {{Dtype::kInt32, {in[0], weights[0]}}};
  Dimensions& out = prepared.outputs[0].dimensions;
  out.insert(out.end(), window->output.begin(), window->output.end());
  prepared.workspace =
      convolution.Rows() * (window->Positions() + convolution.outputs) * sizeof(Sum);
  const std::size_t given = call.inputs.size();
  prepared.run = [convolution, given](const void* const* inputs, void* const* outputs,
                                      void* workspace) {
    const void* all[5] = {};
    std::copy_n(inputs, std::min<std::size_t>(given, 5), all);
    convolution.Run(all, static_cast<Sum*>(outputs[0]), static_cast<Sum*>(workspace));
  };
  return prepared;
}

OPLEDGER_KERNEL(MatMulInteger, "cpu")
    .Types("T", {Dtype::kInt8, Dtype::kUint8})
    .Accumulates(Dtype::kInt32)
    .ErrorBound("exact")
    .Run(&PrepareMatMulInteger);
OPLEDGER_KERNEL(ConvInteger, "cpu")
    .Types("T", {Dtype::kInt8, Dtype::kUint8})
    .Accumulates(Dtype::kInt32)
    .ErrorBound("exact") OPLEDGER_READS_WINDOW.Reads("groups")
    .Run(&PrepareConvInteger);

}  // namespace
}  // namespace opledger
