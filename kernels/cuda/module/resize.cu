// Resizes one dimension of a tensor: sums of taps in the order of kernels/cpu/image/resize.cpp,
// which gives the same bits.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/module/device_code.h"
#include "kernels/cuda/module/launchers.h"

namespace opledger::cuda {
namespace {

template <typename From, typename To>
__global__ void ResizeOne(const ResizeCall call, std::int64_t count) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; at < count; at += stride) {
    const std::int64_t inner = at % call.inner;
    const std::int64_t result = at / call.inner % call.out_size;
    const std::int64_t outer = at / call.inner / call.out_size;
    const From* in = static_cast<const From*>(call.in) + outer * call.in_size * call.inner + inner;
    float sum = 0;
    for (std::int64_t k = result * call.taps; k < (result + 1) * call.taps; ++k) {
      sum += call.weight[k] * Number(in[call.index[k] * call.inner]);
    }
    Put(static_cast<To*>(call.out)[at], sum);
  }
}

}  // namespace

const char* LaunchResize(const ResizeCall* call) {
  const char* problem = "resized elements are not float32, float16 or bfloat16";
  const std::int64_t count = call->outer * call->out_size * call->inner;
  if (count == 0) return nullptr;
  WithType(call->from, [&]<typename From>(From*) {
    WithType(call->to, [&]<typename To>(To*) {
      problem = Launch(&ResizeOne<From, To>, Blocks(count, kThreads), kThreads, 0, *call, count);
    });
  });
  return problem;
}

}  // namespace opledger::cuda
