// Matrix products on cuBLASLt: sums in float32, without TF32, and without rounding partial sums to
// the result's type. The algorithm is chosen once per shape.
// SPDX-License-Identifier: Apache-2.0
#include <cublasLt.h>

#include <array>
#include <map>

#include "kernels/cuda/module/device_code.h"
#include "kernels/cuda/module/launchers.h"

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

// Owns the cuBLASLt objects that describe a product.
struct Description {
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a = nullptr;
  cublasLtMatrixLayout_t b = nullptr;
  cublasLtMatrixLayout_t out = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  cublasLtMatmulAlgo_t way = {};
  int ways = 0;  // algorithms found
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
  template <typename V>
  void Prefer(cublasLtMatmulPreferenceAttributes_t attribute, const V& value) {
    Check(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(value)));
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

bool HasBias(const MatrixCall& call) {
  return call.epilogue == kBias || call.epilogue == kBiasRelu;
}

// Returns the alignment that all pointers share, up to 256 bytes.
std::uint32_t AlignmentOf(const MatrixCall& call) {
  constexpr std::uintptr_t kMax = 256;
  const auto all = reinterpret_cast<std::uintptr_t>(call.a) |
                   reinterpret_cast<std::uintptr_t>(call.b) |
                   reinterpret_cast<std::uintptr_t>(call.out) | kMax;
  return static_cast<std::uint32_t>(all & (~all + 1));
}

// cuBLASLt's matrices are column-major: a row-major product a b is its product b a, and our rows
// are its columns.
void Describe(const MatrixCall& call, Description& description) {
  description.Check(cublasLtMatmulDescCreate(&description.product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  if (description.status != CUBLAS_STATUS_SUCCESS) return;
  description.Set(CUBLASLT_MATMUL_DESC_TRANSA, call.transpose_b != 0 ? CUBLAS_OP_T : CUBLAS_OP_N);
  description.Set(CUBLASLT_MATMUL_DESC_TRANSB, call.transpose_a != 0 ? CUBLAS_OP_T : CUBLAS_OP_N);
  description.Set(CUBLASLT_MATMUL_DESC_EPILOGUE, EpilogueOf(call.epilogue));
  if (HasBias(call)) {
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
  description.Prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, call.workspace_size);
  const std::uint32_t alignment = AlignmentOf(call);
  for (const auto of :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    description.Prefer(of, alignment);
  }
  // Partial sums are added in float32 or not used, so that there is one rounding.
  description.Prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                     std::uint32_t{CUBLASLT_REDUCTION_SCHEME_NONE} |
                         std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
}

void FindWay(Description& description) {
  if (description.status != CUBLAS_STATUS_SUCCESS) return;
  cublasLtMatmulHeuristicResult_t choice = {};
  description.Check(cublasLtMatmulAlgoGetHeuristic(
      Handle(), description.product, description.b, description.a, description.out, description.out,
      description.preference, 1, &choice, &description.ways));
  description.way = choice.algo;
}

// Returns the description of all products of a shape. Launches come from one thread.
Description& DescriptionOf(const MatrixCall& call) {
  using Key = std::array<std::int64_t, 13>;
  static std::map<Key, Description> all;
  const Key key = {call.type,        call.out_type, call.rows,
                   call.inner,       call.columns,  call.batch,
                   call.a_step,      call.b_step,   call.transpose_a,
                   call.transpose_b, call.epilogue, static_cast<std::int64_t>(call.workspace_size),
                   AlignmentOf(call)};
  const auto [at, is_new] = all.try_emplace(key);
  Description& description = at->second;
  if (is_new) {
    Describe(call, description);
    FindWay(description);
  } else if (HasBias(call) && description.status == CUBLAS_STATUS_SUCCESS) {
    description.Set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, call.bias);
  }
  return description;
}

}  // namespace

const char* LaunchMultiply(const MatrixCall* call) {
  if (call->rows == 0 || call->columns == 0 || call->batch == 0) return nullptr;
  if (call->inner == 0) return Refusal("a matrix product has an inner dimension of 0");
  if (Handle() == nullptr) return Refusal("cuBLASLt did not start on this GPU");
  const Description& description = DescriptionOf(*call);
  if (description.status != CUBLAS_STATUS_SUCCESS) {
    return Refusal(cublasLtGetStatusString(description.status));
  }
  if (description.ways == 0)
    return Refusal("cuBLASLt has no algorithm for a matrix product of this shape");
  const float one = 1;
  const float zero = 0;
  const cublasStatus_t done =
      cublasLtMatmul(Handle(), description.product, &one, call->b, description.b, call->a,
                     description.a, &zero, call->out, description.out, call->out, description.out,
                     &description.way, call->workspace, call->workspace_size, Stream());
  return done == CUBLAS_STATUS_SUCCESS ? nullptr : Refusal(cublasLtGetStatusString(done));
}

}  // namespace opledger::cuda
