// Matrix products on cuBLASLt: sums in float32, float32 factors never cut to TF32, and no partial
// sums rounded to the result's type.
// SPDX-License-Identifier: Apache-2.0
#include <cublasLt.h>

#include "kernels/cuda/device_code.h"
#include "kernels/cuda/launchers.h"

namespace opledger::cuda {
namespace {

cublasLtHandle_t Handle() {
  static cublasLtHandle_t handle = [] {
    cublasLtHandle_t made = nullptr;
    return cublasLtCreate(&made) == CUBLAS_STATUS_SUCCESS ? made : nullptr;
  }();
  return handle;
}

cudaDataType TypeOf(std::int32_t type) {
  if (type == kF16) return CUDA_R_16F;
  return type == kBf16 ? CUDA_R_16BF : CUDA_R_32F;
}

// What a product is described by; gone with it.
struct Description {
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a = nullptr;
  cublasLtMatrixLayout_t b = nullptr;
  cublasLtMatrixLayout_t out = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;

  Description() = default;
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
  ~Description() {
    if (product != nullptr) cublasLtMatmulDescDestroy(product);
    for (cublasLtMatrixLayout_t layout : {a, b, out}) {
      if (layout != nullptr) cublasLtMatrixLayoutDestroy(layout);
    }
    if (preference != nullptr) cublasLtMatmulPreferenceDestroy(preference);
  }
  void Check(cublasStatus_t step) {
    if (status == CUBLAS_STATUS_SUCCESS) status = step;
  }
  template <typename V>
  void Set(cublasLtMatmulDescAttributes_t attribute, const V& value) {
    Check(cublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof(value)));
  }
  void Layout(cublasLtMatrixLayout_t* layout, std::int32_t type, std::int64_t rows,
              std::int64_t columns, std::int64_t batch, std::int64_t step) {
    Check(cublasLtMatrixLayoutCreate(layout, TypeOf(type), static_cast<std::uint64_t>(rows),
                                     static_cast<std::uint64_t>(columns), rows));
    const auto count = static_cast<std::int32_t>(batch);
    if (batch == 1 || status != CUBLAS_STATUS_SUCCESS) return;
    Check(cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                           sizeof(count)));
    Check(cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                           &step, sizeof(step)));
  }
};

cublasLtEpilogue_t EpilogueOf(std::int32_t epilogue) {
  if (epilogue == kBias) return CUBLASLT_EPILOGUE_BIAS;
  if (epilogue == kBiasRelu) return CUBLASLT_EPILOGUE_RELU_BIAS;
  return epilogue == kRelu ? CUBLASLT_EPILOGUE_RELU : CUBLASLT_EPILOGUE_DEFAULT;
}

// The library's matrices stand column by column: a row-major product a b is its b a, and our rows
// are its columns.
void Describe(const MatrixCall& call, Description& description) {
  description.Check(cublasLtMatmulDescCreate(&description.product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  if (description.status != CUBLAS_STATUS_SUCCESS) return;
  description.Set(CUBLASLT_MATMUL_DESC_TRANSA, call.transpose_b != 0 ? CUBLAS_OP_T : CUBLAS_OP_N);
  description.Set(CUBLASLT_MATMUL_DESC_TRANSB, call.transpose_a != 0 ? CUBLAS_OP_T : CUBLAS_OP_N);
  description.Set(CUBLASLT_MATMUL_DESC_EPILOGUE, EpilogueOf(call.epilogue));
  if (call.epilogue == kBias || call.epilogue == kBiasRelu) {
    description.Set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, call.bias);
    description.Set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, TypeOf(call.out_type));
  }
  const bool turn_a = call.transpose_a != 0;
  const bool turn_b = call.transpose_b != 0;
  description.Layout(&description.b, call.type, turn_b ? call.inner : call.columns,
                     turn_b ? call.columns : call.inner, call.batch, call.b_step);
  description.Layout(&description.a, call.type, turn_a ? call.rows : call.inner,
                     turn_a ? call.inner : call.rows, call.batch, call.a_step);
  description.Layout(&description.out, call.out_type, call.columns, call.rows, call.batch,
                     call.rows * call.columns);
  description.Check(cublasLtMatmulPreferenceCreate(&description.preference));
  if (description.status != CUBLAS_STATUS_SUCCESS) return;
  description.Check(cublasLtMatmulPreferenceSetAttribute(
      description.preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &call.workspace_size,
      sizeof(call.workspace_size)));
  // Partial sums are joined in float32 or not at all: one rounding.
  const std::uint32_t schemes =
      CUBLASLT_REDUCTION_SCHEME_NONE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  description.Check(cublasLtMatmulPreferenceSetAttribute(description.preference,
                                                         CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                                                         &schemes, sizeof(schemes)));
}

}  // namespace

const char* LaunchMultiply(const MatrixCall* call) {
  if (call->rows == 0 || call->columns == 0 || call->batch == 0) return nullptr;
  if (call->inner == 0) return Refusal("a matrix product has nothing to sum");
  if (Handle() == nullptr) return Refusal("cuBLASLt did not start on this GPU");
  Description description;
  Describe(*call, description);
  cublasLtMatmulHeuristicResult_t choice = {};
  int found = 0;
  if (description.status == CUBLAS_STATUS_SUCCESS) {
    description.Check(cublasLtMatmulAlgoGetHeuristic(
        Handle(), description.product, description.b, description.a, description.out,
        description.out, description.preference, 1, &choice, &found));
  }
  if (description.status != CUBLAS_STATUS_SUCCESS) {
    return Refusal(cublasLtGetStatusString(description.status));
  }
  if (found == 0) return Refusal("cuBLASLt has no way to compute a matrix product of this shape");
  const float one = 1;
  const float zero = 0;
  const cublasStatus_t done =
      cublasLtMatmul(Handle(), description.product, &one, call->b, description.b, call->a,
                     description.a, &zero, call->out, description.out, call->out, description.out,
                     &choice.algo, call->workspace, call->workspace_size, Stream());
  return done == CUBLAS_STATUS_SUCCESS ? nullptr : Refusal(cublasLtGetStatusString(done));
}

}  // namespace opledger::cuda
