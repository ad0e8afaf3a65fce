// Quantization of floats to 8-bit integers and back, where contiguous elements share a scale.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/cpu/elementwise/scale_shape.h"
#include "kernels/cpu/formulas/dynamic_scale.h"
#include "kernels/tensor/broadcast.h"
#include "kernels/vector/elementwise/row_program.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

// The bytes around the zero point at `at`; around 0 if `zeros` is nullptr.
arithmetic::ByteRange BytesAround(Dtype dtype, const void* zeros, std::size_t at) {
  return BytesOf(dtype, zeros == nullptr ? 0 : LoadNumber(dtype, zeros, at));
}

// Calls body(first element, count, index of the scale) for all runs of elements with one scale.
template <typename Body>
void ForRuns(const ScaleShape& shape, const Body& body) {
  const std::size_t run = shape.inner;
  const std::size_t pieces = (run + kTileSize - 1) / kTileSize;
  ForParts(shape.outer * shape.length * pieces, kPartSize / std::min(run, kTileSize) + 1,
           [&](std::size_t begin, std::size_t end, std::size_t) {
             for (std::size_t at = begin; at < end; ++at) {
               const std::size_t first = at % pieces * kTileSize;
               body(at / pieces * run + first, std::min(kTileSize, run - first),
                    at / pieces % shape.length * shape.axis_step);
             }
           });
}

// Reads the shape of scales that apply to runs. Returns an empty string, or why there are no runs.
std::string ReadRuns(const Call& call, ScaleShape& shape) {
  if (std::string problem = ReadScale(call, shape); !problem.empty()) return problem;
  if (call.Input(1).dtype == Dtype::kFloat64) return "its scales are float64";
  if (shape.inner_step != 0) return "its scales apply to blocks";
  return shape.inner < 16 ? "elements that share a scale are not contiguous" : "";
}

struct KnownScale {
  float scale = 1;
  float zero = 0;
};

// Returns the scale and the zero point if both are known and hold for the whole tensor. Such a call
// is a program that can be joined with its neighbors.
std::optional<KnownScale> ReadKnownScale(const Call& call, Dtype quantized) {
  for (const std::size_t input : {1, 2}) {
    if (!call.Has(input)) continue;
    if (call.constants[input] == nullptr || Elements(call.Shape(input)) != 1) return std::nullopt;
  }
  const void* zero = call.Has(2) ? call.constants[2] : nullptr;
  return KnownScale{LoadNumber(call.Input(1).dtype, call.constants[1], 0),
                    zero == nullptr ? 0 : LoadNumber(quantized, zero, 0)};
}

// Takes the parameters of the reference.
Prepared PrepareVectorQuantise(const Call& call) {
  const ChosenKernel reference = ChooseKernel("QuantizeLinear", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const Dtype to = reference.prepared.outputs[0].dtype;
  if (ElementSize(to) != 1) return Refuse("it quantizes to 16 bits");
  if (const auto known = ReadKnownScale(call, to)) {
    RowProgram program({to, call.Shape(0)});
    program.Quantize(to, program.AddInput(0, call.Input(0)), known->scale, known->zero);
    return program.Prepare();
  }
  ScaleShape shape;
  if (std::string problem = ReadRuns(call, shape); !problem.empty()) return Refuse(problem);
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  const bool has_zero = call.Has(2);
  const Dtype from = call.Input(0).dtype;
  const Dtype of_scale = call.Input(1).dtype;
  prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
    ForRuns(shape, [&](std::size_t first, std::size_t n, std::size_t scale) {
      float buffer[kTileSize];
      arithmetic::Rows().quantise(LoadRow(from, inputs[0], first, n, buffer),
                                  LoadNumber(of_scale, inputs[1], scale),
                                  BytesAround(to, has_zero ? inputs[2] : nullptr, scale),
                                  static_cast<std::uint8_t*>(outputs[0]) + first, n);
    });
  };
  return prepared;
}

Prepared PrepareVectorDequantise(const Call& call) {
  const ChosenKernel reference = ChooseKernel("DequantizeLinear", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  if (const auto known = ReadKnownScale(call, call.Input(0).dtype)) {
    RowProgram program(reference.prepared.outputs[0]);
    program.Dequantize(program.AddInput(0, call.Input(0)), known->scale, known->zero);
    return program.Prepare();
  }
  ScaleShape shape;
  if (std::string problem = ReadRuns(call, shape); !problem.empty()) return Refuse(problem);
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  const Dtype from = call.Input(0).dtype;
  const bool has_zero = call.Has(2);
  const Dtype to = call.Input(1).dtype;  // of the scales and of the result
  prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
    ForRuns(shape, [&](std::size_t first, std::size_t n, std::size_t scale) {
      float buffer[kTileSize];
      float* row = ResultRow(to, outputs[0], first, buffer);
      DequantizeRow(from, static_cast<const std::uint8_t*>(inputs[0]) + first,
                    LoadNumber(to, inputs[1], scale),
                    has_zero ? LoadNumber(from, inputs[2], scale) : 0.0F, row, n);
      StoreRow(to, row, outputs[0], first, n);
    });
  };
  return prepared;
}

Prepared PrepareVectorDynamicQuantise(const Call& call) {
  const std::size_t count = Elements(call.Shape(0));
  Prepared prepared;
  prepared.outputs = {{Dtype::kUint8, call.Shape(0)}, {Dtype::kFloat32, {}}, {Dtype::kUint8, {}}};
  prepared.run = [count](const void* const* inputs, void* const* outputs, void*) {
    const auto* in = static_cast<const float*>(inputs[0]);
    DynamicScale<float> range;
    arithmetic::Rows().range(in, count, &range.low, &range.high);
    const std::uint8_t zero = range.Zero();
    if (outputs[1] != nullptr) *static_cast<float*>(outputs[1]) = range.Scale();
    if (outputs[2] != nullptr) *static_cast<std::uint8_t*>(outputs[2]) = zero;
    if (outputs[0] == nullptr) return;
    ForParts(count, kPartSize, [&](std::size_t begin, std::size_t end, std::size_t) {
      arithmetic::Rows().quantise(in + begin, range.Scale(), BytesAround(Dtype::kUint8, &zero, 0),
                                  static_cast<std::uint8_t*>(outputs[0]) + begin, end - begin);
    });
  };
  return prepared;
}

// Inputs: sums, factors, zeros, as for the reference; each row must have one zero.
Prepared PrepareVectorRequantise(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Requantize", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const Dtype to = call.Input(2).dtype;
  if (ElementSize(to) != 1 || Elements(call.Shape(2)) != 1) {
    return Refuse("it has several zero points, or 16-bit ones");
  }
  if (call.constants[2] != nullptr) {
    RowProgram program(reference.prepared.outputs[0]);
    const RowProgram::Number sums = program.AddInput(0, call.Input(0));
    const RowProgram::Number factors = program.AddInput(1, call.Input(1));
    program.Quantize(to, program.Then(arithmetic::Pair::kMul, sums, factors), 1,
                     LoadNumber(to, call.constants[2], 0));
    return program.Prepare();
  }
  const Dimensions& shape = call.Shape(0);
  const BroadcastWalk walk(shape, {shape, call.Shape(1)});
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
    const arithmetic::ByteRange range = BytesAround(to, inputs[2], 0);
    walk.Rows([&](std::size_t at, const std::int64_t* offsets, std::size_t count,
                  const std::int64_t* steps) {
      arithmetic::Rows().requantise[steps[1] == 0 ? 0 : 1](
          static_cast<const std::int32_t*>(inputs[0]) + offsets[0],
          static_cast<const float*>(inputs[1]) + offsets[1], range,
          static_cast<std::uint8_t*>(outputs[0]) + at, count);
    });
  };
  return prepared;
}

OPLEDGER_KERNEL(QuantizeLinear, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Types("scale", OPLEDGER_VECTOR_FLOATS, 1)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("exact")
    .By("vector")
    .Run(&PrepareVectorQuantise);
OPLEDGER_KERNEL(DequantizeLinear, "cpu")
    .Types("T", {Dtype::kInt8, Dtype::kUint8})
    .Types("scale", OPLEDGER_VECTOR_FLOATS, 1)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp")
    .By("vector")
    .Run(&PrepareVectorDequantise);
OPLEDGER_KERNEL(DynamicQuantizeLinear, "cpu")
    .Types("T", {Dtype::kFloat32})
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("exact")
    .By("vector")
    .Run(&PrepareVectorDynamicQuantise);
OPLEDGER_KERNEL(Requantize, "cpu")
    .Types("T", {Dtype::kInt32})
    .Types("scale", {Dtype::kFloat32}, 1)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("exact")
    .By("vector")
    .Run(&PrepareVectorRequantise);

}  // namespace
}  // namespace opledger
