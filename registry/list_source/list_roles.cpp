// The names and roles of frameworks' own lists; see list_roles.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/list_roles.h"

namespace opledger {
namespace {

struct Row {
  const char* framework;
  const char* name;
  const char* role;
  const char* target_dtype = "";
  const char* device = "";
};

constexpr Row kRows[] = {
    {"mxnet", "FP16_FUNCS", "target", "float16"},
    {"mxnet", "BF16_FUNCS", "target", "bfloat16"},
    {"mxnet", "LP16_FUNCS", "target", ""},
    {"mxnet", "FP16_FP32_FUNCS", "either", "float16"},
    {"mxnet", "BF16_FP32_FUNCS", "either", "bfloat16"},
    {"mxnet", "LP16_FP32_FUNCS", "either", ""},
    {"mxnet", "FP32_FUNCS", "fp32", ""},
    {"mxnet", "WIDEST_TYPE_CASTS", "widest", ""},
    {"mxnet", "CONDITIONAL_FP32_FUNCS", "conditional", ""},
    {"mxnet", "LOSS_OUTPUT_FUNCTIONS", "loss", ""},
    {"mxnet", "FP16_USE_FP32_PARAMS", "keep_fp32_inputs", "float16"},
    {"mxnet", "BF16_USE_FP32_PARAMS", "keep_fp32_inputs", "bfloat16"},
    {"mxnet", "LP16_USE_FP32_PARAMS", "keep_fp32_inputs", ""},
    {"tvm-relay", "DEFAULT_ALWAYS_LIST", "target", ""},
    {"tvm-relay", "DEFAULT_FOLLOW_LIST", "widest", ""},
    {"tvm-relay", "DEFAULT_NEVER_LIST", "fp32", ""},
    {"tensorflow", "*Cuda::AllowList", "target", "float16", "cuda"},
    {"tensorflow", "*Cuda::InferList", "widest", "float16", "cuda"},
    {"tensorflow", "*Cuda::DenyList", "fp32", "float16", "cuda"},
    {"tensorflow", "*Cuda::ClearList", "either", "float16", "cuda"},
    {"tensorflow", "*Mkl::AllowList", "target", "bfloat16", "cpu"},
    {"tensorflow", "*Mkl::InferList", "widest", "bfloat16", "cpu"},
    {"tensorflow", "*Mkl::DenyList", "fp32", "bfloat16", "cpu"},
    {"tensorflow", "*Mkl::ClearList", "either", "bfloat16", "cpu"},
    {"pytorch", "lower_precision_fp", "target", ""},
    {"pytorch", "promote", "widest", ""},
    {"pytorch", "fp32", "fp32", ""},
    {"pytorch", "fp32_set_opt_dtype", "fp32", ""},
    {"pytorch", "fp32_append_dtype", "fp32", ""},
    {"pytorch", "banned", "banned", ""},
    {"onnx", "DEFAULT_OP_BLOCK_LIST", "fp32", "float16"},
    {"onnx", "ALWAYS_FLOAT_INPUTS", "keep_fp32_inputs", "float16"},
};

}  // namespace

const std::vector<ListRule>& ListRules() {
  static const std::vector<ListRule> kRules = [] {
    std::vector<ListRule> rules;
    for (const Row& row : kRows) {
      rules.push_back(
          {row.framework, row.name, *ParseListRole(row.role), row.target_dtype, row.device});
    }
    return rules;
  }();
  return kRules;
}

}  // namespace opledger
