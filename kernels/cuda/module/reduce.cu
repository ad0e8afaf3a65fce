// Reductions along any axes by the tree of kernels/cpu/reduce/reduce.h, which gives the same bits
// as the CPU. A warp reduces a group whose elements are close together. If adjacent groups are
// close instead, a thread reduces a group and holds all of its partial sums.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/cuda/module/device_code.h"
#include "kernels/cuda/module/launchers.h"

namespace opledger::cuda {
namespace {

__device__ __forceinline__ std::int64_t PlaceOf(const StridedLayout& layout, std::int64_t i) {
  std::int64_t place = 0;
  for (int d = layout.rank - 1; d > 0; --d) {
    place += i % layout.size[d] * layout.stride[d];
    i /= layout.size[d];
  }
  return layout.rank > 0 ? place + i * layout.stride[0] : place;
}

static std::int64_t SizeOf(const StridedLayout& layout) {
  std::int64_t size = 1;
  for (int d = 0; d < layout.rank; ++d) size *= layout.size[d];
  return size;
}

template <int kWork>
__device__ __forceinline__ float Mapped(float x) {
  if (kWork == kReduceSumSquare) return x * x;
  return kWork == kReduceL1 ? arithmetic::Abs(x) : x;
}

template <int kWork>
__device__ __forceinline__ float Reduced(float a, float b) {
  if (kWork == kReduceMax) return arithmetic::Maximum(a, b);
  if (kWork == kReduceMin) return arithmetic::Minimum(a, b);
  return kWork == kReduceProd ? a * b : a + b;
}

template <int kWork>
__device__ __forceinline__ float OfNone() {
  if (kWork == kReduceMax) return -arithmetic::kInfinity;
  if (kWork == kReduceMin) return arithmetic::kInfinity;
  return kWork == kReduceProd ? 1.0F : 0.0F;
}

// Completes a reduction: divides the sum for a mean, and so on.
__device__ __forceinline__ float Finished(std::int32_t work, float all, std::int64_t count) {
  if (work == kReduceMean) return all / static_cast<float>(count);
  return work == kReduceL2 ? arithmetic::Sqrt(all) : all;
}

// Reduces `left` elements from `in` on; every 32nd belongs to this lane.
template <typename T, int kWork>
__device__ __forceinline__ float ReduceStrided(float partial, const T* in, int left) {
  constexpr int kAtOnce = 8;
  constexpr int kStep = static_cast<int>(kLanes);
  for (; left > (kAtOnce - 1) * kStep; left -= kAtOnce * kStep, in += kAtOnce * kStep) {
    float number[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) number[k] = Number(in[k * kStep]);
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) partial = Reduced<kWork>(partial, Mapped<kWork>(number[k]));
  }
#pragma unroll
  for (int k = 0; k < kAtOnce - 1; ++k) {
    if (k * kStep < left) partial = Reduced<kWork>(partial, Mapped<kWork>(Number(in[k * kStep])));
  }
  return partial;
}

template <typename T, int kWork>
__global__ void ReduceByWarp(const ReduceCall call, std::int64_t groups, std::int64_t members) {
  const unsigned lane = threadIdx.x % kLanes;
  const std::int64_t warps = std::int64_t{gridDim.x} * (kThreads / kLanes);
  const bool together =
      call.members.rank == 1 && call.members.stride[0] == 1 && members <= 0x7fffffff;
  std::int64_t group = std::int64_t{blockIdx.x} * (kThreads / kLanes) + threadIdx.x / kLanes;
  for (; group < groups; group += warps) {
    const T* in = static_cast<const T*>(call.in) + PlaceOf(call.groups, group);
    float partial = OfNone<kWork>();
    if (lane < members) partial = Mapped<kWork>(Number(in[PlaceOf(call.members, lane)]));
    if (together) {
      partial = ReduceStrided<T, kWork>(
          partial, in + lane + kLanes, static_cast<int>(members) - static_cast<int>(lane + kLanes));
    } else {
#pragma unroll 4
      for (std::int64_t i = lane + kLanes; i < members; i += kLanes) {
        partial = Reduced<kWork>(partial, Mapped<kWork>(Number(in[PlaceOf(call.members, i)])));
      }
    }
#pragma unroll
    for (unsigned half = kLanes / 2; half > 0; half /= 2) {
      const float upper = __shfl_down_sync(kAllLanes, partial, half);
      if (members >= kLanes || lane + half < members) partial = Reduced<kWork>(partial, upper);
    }
    if (lane == 0) Put(static_cast<T*>(call.out)[group], Finished(call.work, partial, members));
  }
}

// For groups whose elements are equally spaced.
template <typename T, int kWork>
__global__ void ReduceByThread(const ReduceCall call, std::int64_t groups, std::int64_t members) {
  const std::int64_t step = call.members.rank > 0 ? call.members.stride[0] : 0;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t group = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; group < groups; group += stride) {
    const T* in = static_cast<const T*>(call.in) + PlaceOf(call.groups, group);
    float partial[kLanes];
#pragma unroll
    for (int k = 0; k < static_cast<int>(kLanes); ++k) {
      partial[k] = k < members ? Mapped<kWork>(Number(in[k * step])) : 0.0F;
    }
    for (std::int64_t first = kLanes; first < members; first += kLanes) {
#pragma unroll
      for (int k = 0; k < static_cast<int>(kLanes); ++k) {
        if (first + k < members) {
          partial[k] = Reduced<kWork>(partial[k], Mapped<kWork>(Number(in[(first + k) * step])));
        }
      }
    }
#pragma unroll
    for (int half = kLanes / 2; half > 0; half /= 2) {
#pragma unroll
      for (int k = 0; k < half; ++k) {
        if (k + half < members) partial[k] = Reduced<kWork>(partial[k], partial[k + half]);
      }
    }
    const float all = members == 0 ? OfNone<kWork>() : partial[0];
    Put(static_cast<T*>(call.out)[group], Finished(call.work, all, members));
  }
}

template <typename T, int kWork>
const char* LaunchWork(const ReduceCall& call, std::int64_t groups, std::int64_t members) {
  const StridedLayout& layout = call.groups;
  const bool neighbours = call.members.rank <= 1 && layout.rank > 0 &&
                          layout.stride[layout.rank - 1] == 1 &&
                          layout.size[layout.rank - 1] >= static_cast<std::int64_t>(kLanes);
  if (neighbours) {
    return Launch(&ReduceByThread<T, kWork>, Blocks(groups, kThreads), kThreads, 0, call, groups,
                  members);
  }
  return Launch(&ReduceByWarp<T, kWork>, Blocks(groups, kThreads / kLanes), kThreads, 0, call,
                groups, members);
}

template <typename T>
const char* LaunchType(const ReduceCall& call, std::int64_t groups, std::int64_t members) {
  switch (call.work) {
    case kReduceSum:
    case kReduceMean:
      return LaunchWork<T, kReduceSum>(call, groups, members);
    case kReduceSumSquare:
    case kReduceL2:
      return LaunchWork<T, kReduceSumSquare>(call, groups, members);
    case kReduceL1:
      return LaunchWork<T, kReduceL1>(call, groups, members);
    case kReduceMax:
      return LaunchWork<T, kReduceMax>(call, groups, members);
    case kReduceMin:
      return LaunchWork<T, kReduceMin>(call, groups, members);
    case kReduceProd:
      return LaunchWork<T, kReduceProd>(call, groups, members);
    default:
      return Refusal("the reduction is unknown");
  }
}

}  // namespace

const char* LaunchReduce(const ReduceCall* call) {
  const char* problem = "reduced elements are not float32, float16 or bfloat16";
  const std::int64_t groups = SizeOf(call->groups);
  const std::int64_t members = SizeOf(call->members);
  if (groups == 0) return nullptr;
  WithType(call->type, [&]<typename T>(T*) { problem = LaunchType<T>(*call, groups, members); });
  return problem;
}

}  // namespace opledger::cuda
