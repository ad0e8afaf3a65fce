// Casts among float32, float16 and bfloat16: eight numbers a thread, the bits of the CPU's.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/device_code.h"
#include "kernels/cuda/launchers.h"

namespace opledger::cuda {
namespace {

constexpr int kEach = 8;

template <typename T>
struct alignas(sizeof(T) * kEach < 16 ? sizeof(T) * kEach : 16) Eight {
  T number[kEach];
};

template <typename From, typename To>
__global__ void CastNumbers(const From* in, To* out, std::int64_t count, bool aligned) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x * kEach;
  std::int64_t at = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kEach;
  for (; at < count; at += stride) {
    if (aligned && at + kEach <= count) {
      const auto from = *reinterpret_cast<const Eight<From>*>(in + at);
      Eight<To> to;
#pragma unroll
      for (int i = 0; i < kEach; ++i) Put(to.number[i], Number(from.number[i]));
      *reinterpret_cast<Eight<To>*>(out + at) = to;
    } else {
      for (std::int64_t i = at; i < at + kEach && i < count; ++i) Put(out[i], Number(in[i]));
    }
  }
}

}  // namespace

const char* LaunchCast(const CastCall* call) {
  const char* problem = "a cast is from or to a type that is none of the three";
  if (call->count == 0) return nullptr;
  const bool aligned =
      (reinterpret_cast<std::uintptr_t>(call->in) | reinterpret_cast<std::uintptr_t>(call->out)) %
          16 ==
      0;
  WithType(call->from, [&]<typename From>(From*) {
    WithType(call->to, [&]<typename To>(To*) {
      problem = Launch(&CastNumbers<From, To>, Blocks(call->count, kThreads * kEach), kThreads, 0,
                       static_cast<const From*>(call->in), static_cast<To*>(call->out), call->count,
                       aligned);
    });
  });
  return problem;
}

}  // namespace opledger::cuda
