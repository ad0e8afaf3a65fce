// MatMul and Gemm on cuBLASLt.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/cast.h"
#include "kernels/cpu/contraction/packed_weights.h"
#include "kernels/cuda/kernels/contraction.h"
#include "kernels/cuda/kernels/kernels.h"
#include "kernels/kernel/fused_call.h"

namespace opledger::cuda {
namespace {

Prepared Multiply(const Call& call, MatrixCall matrix, const TensorType& result) {
  if (Elements(result.dimensions) != 0 && matrix.inner == 0) return Refuse("its sums are empty");
  matrix.type = *ElementTypeOf(call.Input(0).dtype);
  matrix.workspace_size = kMatrixWorkspace;
  return FinishContraction(
      call, result, result.Rank() - 1, kMatrixWorkspace, true,
      [matrix](const Product& product, const void* const* inputs, void* out, std::byte* workspace) {
        MatrixCall filled = matrix;
        filled.out_type = product.out_type;
        filled.epilogue = product.epilogue;
        filled.bias = product.bias;
        filled.a = inputs[0];
        filled.b = inputs[1];
        filled.out = out;
        filled.workspace = workspace;
        Report(Module().multiply(&filled));
      });
}

Prepared PrepareMatMul(const Call& call) {
  const ChosenKernel reference = ChooseKernel("MatMul", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  Dimensions a = call.Shape(0);
  Dimensions b = call.Shape(1);
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  MatrixCall matrix = {};
  matrix.rows = a[a.size() - 2];
  matrix.inner = a.back();
  matrix.columns = b.back();
  matrix.batch = 1;
  const Dimensions stack_a(a.begin(), a.end() - 2);
  const Dimensions stack_b(b.begin(), b.end() - 2);
  const auto count_a = static_cast<std::int64_t>(Elements(stack_a));
  const auto count_b = static_cast<std::int64_t>(Elements(stack_b));
  if (count_b == 1) {
    matrix.rows *= count_a;
  } else if (count_a == 1 || stack_a == stack_b) {
    matrix.batch = count_b;
    matrix.a_step = count_a == 1 ? 0 : matrix.rows * matrix.inner;
    matrix.b_step = matrix.inner * matrix.columns;
  } else {
    return Refuse("its stacks of matrices broadcast");
  }
  return Multiply(call, matrix, reference.prepared.outputs[0]);
}

Prepared PrepareGemm(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Gemm", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  if (!IsFused(call) && (call.Has(2) || call.parameters.Number("alpha", 1) != 1)) {
    return Refuse("its bias is not a constant row");
  }
  const TensorType& result = reference.prepared.outputs[0];
  MatrixCall matrix = {};
  matrix.transpose_a = call.parameters.Integer("transpose_a", 0) != 0 ? 1 : 0;
  matrix.transpose_b = call.parameters.Integer("transpose_b", 0) != 0 ? 1 : 0;
  matrix.rows = result.dimensions[0];
  matrix.columns = result.dimensions[1];
  matrix.inner = call.Shape(0)[matrix.transpose_a != 0 ? 0 : 1];
  matrix.batch = 1;
  return Multiply(call, matrix, result);
}

// cuBLASLt has no products with packed weights, so they are unpacked once, to the product's type.
Prepared PrepareMatMulNBits(const Call& call) {
  const ChosenKernel reference = ChooseKernel("MatMulNBits", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const auto read = ReadKnownWeights(call);
  if (!read) return Refuse(read.status());
  const PackedWeights& weights = *read;
  const Dtype dtype = call.Input(0).dtype;
  std::vector<float> row(weights.columns);
  std::vector<std::byte> bytes(weights.inner * weights.columns * ElementSize(dtype));
  for (std::size_t k = 0; k < weights.inner; ++k) {
    for (std::size_t n = 0; n < weights.columns; ++n) {
      row[n] = static_cast<float>(weights.NumberAt(call.constants, k, n));
    }
    arithmetic::Downcast(row.data(), dtype, bytes.data() + k * row.size() * ElementSize(dtype),
                         row.size());
  }
  Call product;
  product.inputs = {call.Input(0), TensorType{dtype,
                                              {static_cast<std::int64_t>(weights.inner),
                                               static_cast<std::int64_t>(weights.columns)}}};
  product.constants = {nullptr, nullptr};
  Prepared prepared = PrepareMatMul(product);
  if (!prepared.refusal.ok()) return prepared;
  prepared.unread_inputs = WeightInputs(call);
  prepared.run = [run = std::move(prepared.run),
                  opened = std::make_shared<DeviceConstant>(std::move(bytes))](
                     const void* const* inputs, void* const* outputs, void* workspace) {
    const void* both[] = {inputs[0], opened->Data()};
    run(both, outputs, workspace);
  };
  return prepared;
}

OPLEDGER_KERNEL(MatMulNBits, "cuda")
    .Types("T", OPLEDGER_CUDA_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("1 ulp + k * 2^-24")
    .Run(&PrepareMatMulNBits);
OPLEDGER_KERNEL(MatMul, "cuda")
    .Types("T", OPLEDGER_CUDA_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24")
    .Run(&PrepareMatMul);
OPLEDGER_KERNEL(Gemm, "cuda")
    .Types("T", OPLEDGER_CUDA_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24")
    .Run(&PrepareGemm);

}  // namespace
}  // namespace opledger::cuda
