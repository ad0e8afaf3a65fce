// Replaces cuBLASLt: sums in float64, rounded once.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/module/device_code.h"
#include "kernels/cuda/module/launchers.h"

namespace opledger::cuda {
namespace {

void Multiply(const MatrixCall* call) {
  for (std::int64_t at = 0; at < call->batch * call->rows * call->columns; ++at) {
    const std::int64_t column = at % call->columns;
    const std::int64_t row = at / call->columns % call->rows;
    const std::int64_t batch = at / call->columns / call->rows;
    double sum = 0;
    for (std::int64_t k = 0; k < call->inner; ++k) {
      const std::int64_t a = call->transpose_a != 0 ? k * call->rows + row : row * call->inner + k;
      const std::int64_t b =
          call->transpose_b != 0 ? column * call->inner + k : k * call->columns + column;
      sum += double{NumberAt(call->type, call->a, batch * call->a_step + a)} *
             double{NumberAt(call->type, call->b, batch * call->b_step + b)};
    }
    auto result = static_cast<float>(sum);
    if (call->epilogue == kBias || call->epilogue == kBiasRelu) {
      result += NumberAt(call->out_type, call->bias, column);
    }
    if (call->epilogue == kRelu || call->epilogue == kBiasRelu) result = result > 0 ? result : 0;
    WithType(call->out_type, [&]<typename T>(T*) { Put(static_cast<T*>(call->out)[at], result); });
  }
}

}  // namespace

const char* LaunchMultiply(const MatrixCall* call) {
  emulated::Queue([call = *call] { Multiply(&call); });
  return nullptr;
}

}  // namespace opledger::cuda
