// Casts among float32, float16 and bfloat16, with the same bits as on the CPU, including a NaN's
// payload. Threads read and write four adjacent elements at a time, and start several such reads
// before they wait for the first.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/module/device_code.h"
#include "kernels/cuda/module/launchers.h"

namespace opledger::cuda {
namespace {

constexpr int kEach = 4;
constexpr int kFours = 4;

template <typename T>
struct alignas(sizeof(T) * kEach) FourNumbers {
  T number[kEach];
};

__device__ __forceinline__ float Exactly(float x) { return x; }
__device__ __forceinline__ float Exactly(Half x) { return FromFloat16(x.bits); }
__device__ __forceinline__ float Exactly(BFloat16 x) { return FromBfloat16(x.bits); }
__device__ __forceinline__ void Round(float& to, float x) { to = x; }
__device__ __forceinline__ void Round(Half& to, float x) { to.bits = ToFloat16(x); }
__device__ __forceinline__ void Round(BFloat16& to, float x) { to.bits = ToBfloat16(x); }

template <typename From, typename To>
__global__ void CastNumbers(const From* in, To* out, std::int64_t count, bool aligned) {
  const std::int64_t fours = aligned ? count / kEach : 0;
  const auto* from = reinterpret_cast<const FourNumbers<From>*>(in);
  auto* to = reinterpret_cast<FourNumbers<To>*>(out);
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads * kFours;
  std::int64_t at = std::int64_t{blockIdx.x} * kThreads * kFours + threadIdx.x;
  for (; at < fours; at += stride) {
    FourNumbers<From> read[kFours];
#pragma unroll
    for (int i = 0; i < kFours; ++i) {
      if (at + i * kThreads < fours) read[i] = from[at + i * kThreads];
    }
#pragma unroll
    for (int i = 0; i < kFours; ++i) {
      FourNumbers<To> rounded;
#pragma unroll
      for (int k = 0; k < kEach; ++k) Round(rounded.number[k], Exactly(read[i].number[k]));
      if (at + i * kThreads < fours) to[at + i * kThreads] = rounded;
    }
  }
  std::int64_t rest = fours * kEach + std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  for (; rest < count; rest += std::int64_t{gridDim.x} * kThreads) {
    Round(out[rest], Exactly(in[rest]));
  }
}

}  // namespace

const char* LaunchCast(const CastCall* call) {
  const char* problem = "a cast is not between float32, float16 and bfloat16";
  if (call->count == 0) return nullptr;
  const bool aligned =
      (reinterpret_cast<std::uintptr_t>(call->in) | reinterpret_cast<std::uintptr_t>(call->out)) %
          16 ==
      0;
  WithType(call->from, [&]<typename From>(From*) {
    WithType(call->to, [&]<typename To>(To*) {
      problem = Launch(&CastNumbers<From, To>, Blocks(call->count, kThreads * kEach * kFours),
                       kThreads, 0, static_cast<const From*>(call->in), static_cast<To*>(call->out),
                       call->count, aligned);
    });
  });
  return problem;
}

}  // namespace opledger::cuda
