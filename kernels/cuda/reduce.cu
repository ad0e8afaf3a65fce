// Reductions along any axes by the tree of kernels/cpu/tree_sum.h, so with the CPU's bits. A warp
// takes a group whose numbers stand close; where neighbouring groups do, a thread takes one and has
// all its partial sums.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/elementary.h"
#include "kernels/cuda/device_code.h"
#include "kernels/cuda/launchers.h"

namespace opledger::cuda {
namespace {

__device__ __forceinline__ std::int64_t PlaceOf(const Walk& walk, std::int64_t i) {
  std::int64_t place = 0;
  for (int d = walk.rank - 1; d > 0; --d) {
    place += i % walk.size[d] * walk.stride[d];
    i /= walk.size[d];
  }
  return walk.rank > 0 ? place + i * walk.stride[0] : place;
}

static std::int64_t SizeOf(const Walk& walk) {
  std::int64_t size = 1;
  for (int d = 0; d < walk.rank; ++d) size *= walk.size[d];
  return size;
}

__device__ __forceinline__ float Mapped(std::int32_t work, float x) {
  if (work == kReduceSumSquare || work == kReduceL2) return x * x;
  return work == kReduceL1 ? arithmetic::Abs(x) : x;
}

__device__ __forceinline__ float Joined(std::int32_t work, float a, float b) {
  if (work == kReduceMax) return arithmetic::Maximum(a, b);
  if (work == kReduceMin) return arithmetic::Minimum(a, b);
  return work == kReduceProd ? a * b : a + b;
}

__device__ __forceinline__ float Finished(std::int32_t work, float all, std::int64_t count) {
  if (work == kReduceMean) return all / static_cast<float>(count);
  return work == kReduceL2 ? arithmetic::Sqrt(all) : all;
}

__device__ __forceinline__ float OfNone(std::int32_t work) {
  if (work == kReduceMax) return -arithmetic::kInfinity;
  if (work == kReduceMin) return arithmetic::kInfinity;
  return work == kReduceProd ? 1.0F : 0.0F;
}

template <typename T>
__global__ void ReduceByWarp(const ReduceCall call, std::int64_t groups, std::int64_t members) {
  const unsigned lane = threadIdx.x % kLanes;
  const std::int64_t warps = std::int64_t{gridDim.x} * (kThreads / kLanes);
  std::int64_t group = std::int64_t{blockIdx.x} * (kThreads / kLanes) + threadIdx.x / kLanes;
  for (; group < groups; group += warps) {
    const T* in = static_cast<const T*>(call.in) + PlaceOf(call.groups, group);
    float partial = OfNone(call.work);
    if (lane < members) partial = Mapped(call.work, Number(in[PlaceOf(call.members, lane)]));
#pragma unroll 4
    for (std::int64_t i = lane + kLanes; i < members; i += kLanes) {
      partial = Joined(call.work, partial, Mapped(call.work, Number(in[PlaceOf(call.members, i)])));
    }
    for (unsigned half = kLanes / 2; half > 0; half /= 2) {
      const float upper = __shfl_down_sync(kAllLanes, partial, half);
      if (lane < half && lane + half < members) partial = Joined(call.work, partial, upper);
    }
    if (lane == 0) Put(static_cast<T*>(call.out)[group], Finished(call.work, partial, members));
  }
}

// The members of a group stand at equal steps.
template <typename T>
__global__ void ReduceByThread(const ReduceCall call, std::int64_t groups, std::int64_t members) {
  const std::int64_t step = call.members.rank > 0 ? call.members.stride[0] : 0;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t group = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; group < groups; group += stride) {
    const T* in = static_cast<const T*>(call.in) + PlaceOf(call.groups, group);
    float partial[kLanes];
#pragma unroll
    for (int k = 0; k < static_cast<int>(kLanes); ++k) {
      partial[k] = k < members ? Mapped(call.work, Number(in[k * step])) : 0.0F;
    }
    for (std::int64_t first = kLanes; first < members; first += kLanes) {
#pragma unroll
      for (int k = 0; k < static_cast<int>(kLanes); ++k) {
        if (first + k < members) {
          partial[k] =
              Joined(call.work, partial[k], Mapped(call.work, Number(in[(first + k) * step])));
        }
      }
    }
#pragma unroll
    for (int half = kLanes / 2; half > 0; half /= 2) {
#pragma unroll
      for (int k = 0; k < half; ++k) {
        if (k + half < members) partial[k] = Joined(call.work, partial[k], partial[k + half]);
      }
    }
    const float all = members == 0 ? OfNone(call.work) : partial[0];
    Put(static_cast<T*>(call.out)[group], Finished(call.work, all, members));
  }
}

}  // namespace

const char* LaunchReduce(const ReduceCall* call) {
  const char* problem = "what is reduced is of a type that is none of the three";
  const std::int64_t groups = SizeOf(call->groups);
  const std::int64_t members = SizeOf(call->members);
  if (groups == 0) return nullptr;
  const Walk& walk = call->groups;
  const bool neighbours = call->members.rank <= 1 && walk.rank > 0 &&
                          walk.stride[walk.rank - 1] == 1 &&
                          walk.size[walk.rank - 1] >= static_cast<std::int64_t>(kLanes);
  WithType(call->type, [&]<typename T>(T*) {
    if (neighbours) {
      problem =
          Launch(&ReduceByThread<T>, Blocks(groups, kThreads), kThreads, 0, *call, groups, members);
    } else {
      problem = Launch(&ReduceByWarp<T>, Blocks(groups, kThreads / kLanes), kThreads, 0, *call,
                       groups, members);
    }
  });
  return problem;
}

}  // namespace opledger::cuda
