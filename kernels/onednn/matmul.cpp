// MatMul and Gemm on oneDNN.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel/fused_call.h"
#include "kernels/onednn/onednn.h"

namespace opledger::onednn {
namespace {

// Returns the output type according to the reference kernel, or nullopt if that refuses the call.
std::optional<TensorType> ResultOf(const char* kernel, const Call& call) {
  const ChosenKernel reference = ChooseKernel(kernel, call, {true});
  if (reference.entry == nullptr) return std::nullopt;
  return reference.prepared.outputs[0];
}

std::int64_t StackOf(const Dimensions& shape) {
  return static_cast<std::int64_t>(Elements({shape.begin(), shape.end() - 2}));
}

Prepared Multiply(const Call& call, Matmul matmul, const TensorType& result) {
  if (TakesUnknown(call)) return Refuse("its bias or scale is computed at run time");
  if (Elements(result.dimensions) == 0 || matmul.inner == 0)
    return Refuse("it has an empty tensor");
  matmul.dtype = ComputedIn(call.Input(0).dtype);
  matmul.epilogue = EpilogueOf(call, true);
  matmul.result_dtype = ResultIn(call, matmul.epilogue);
  matmul.biased = IsFused(call) && call.Has(kFusedBias) && !matmul.epilogue.scales;
  Contraction contraction;
  contraction.result = result;
  contraction.epilogue = matmul.epilogue;
  contraction.fixes_weights = call.constants[1] != nullptr;
  matmul.packs = contraction.fixes_weights;
  contraction.primitive = MakeMatmul(matmul);
  if (contraction.fixes_weights) {
    const auto columns = static_cast<std::size_t>(matmul.columns);
    contraction.weights = WeightsOf(
        call, columns, matmul.transpose_weights ? static_cast<std::size_t>(matmul.inner) : 1);
  }
  return FinishContraction(call, contraction);
}

Prepared PrepareMatMul(const Call& call) {
  const auto result = ResultOf("MatMul", call);
  if (!result || call.Input(0).Rank() < 2 || call.Input(1).Rank() < 2) {
    return Refuse("its factors are not matrices");
  }
  const Dimensions& a = call.Shape(0);
  const Dimensions& b = call.Shape(1);
  Matmul matmul;
  matmul.rows = a[a.size() - 2];
  matmul.inner = a.back();
  matmul.columns = b.back();
  const std::int64_t stack_a = StackOf(a);
  const std::int64_t stack_b = StackOf(b);
  if (stack_b == 1) {
    matmul.rows *= stack_a;
  } else if (stack_a == 1 ||
             Dimensions(a.begin(), a.end() - 2) == Dimensions(b.begin(), b.end() - 2)) {
    matmul.batch = stack_b;
    matmul.source_batch = stack_a;
    matmul.weights_batch = stack_b;
  } else {
    return Refuse("its stacks of matrices broadcast");
  }
  return Multiply(call, matmul, *result);
}

Prepared PrepareGemm(const Call& call) {
  const auto result = ResultOf("Gemm", call);
  if (!result) return Refuse("its factors cannot be multiplied");
  if (!IsFused(call) && (call.Has(2) || call.parameters.Number("alpha", 1) != 1)) {
    return Refuse("its bias is not a constant row");
  }
  Matmul matmul;
  matmul.transpose_source = call.parameters.Integer("transpose_a", 0) != 0;
  matmul.transpose_weights = call.parameters.Integer("transpose_b", 0) != 0;
  matmul.rows = result->dimensions[0];
  matmul.columns = result->dimensions[1];
  matmul.inner = call.Shape(0)[matmul.transpose_source ? 0 : 1];
  return Multiply(call, matmul, *result);
}

// Always defined where this file is compiled; tells readers when the registration exists.
#ifdef OPLEDGER_HAS_ONEDNN
OPLEDGER_KERNEL(MatMul, "cpu")
    .Types("T", {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16})
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24")
    .By("oneDNN")
    .Run(&PrepareMatMul);
OPLEDGER_KERNEL(Gemm, "cpu")
    .Types("T", {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16})
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24")
    .By("oneDNN")
    .Run(&PrepareGemm);
#endif

}  // namespace
}  // namespace opledger::onednn
