// Attention of few rows, as in a decoder's steps: each block computes one row of one head, and its
// warps share the keys, four at a time. The warps' results are combined at the end. Calls with more
// rows go to attention_tiles.cu.
// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>

#include "kernels/cuda/module/attention.h"
#include "kernels/cuda/module/launchers.h"

namespace opledger::cuda {
namespace {

constexpr int kFewRows = 16;
constexpr int kKeysAtOnce = 4;
constexpr int kWarpsOfRow = kThreads / kLanes;
constexpr int kOfFour = 4 * static_cast<int>(kLanes);  // elements that a warp reads at once

// The result of a warp or of all warps: sums of values, scaled by e^-max.
template <int kGroups>
struct RowSums {
  float out[4 * kGroups];  // element (group * 32 + lane) * 4 + i at group * 4 + i
  float max;
  float sum;
  float any;
};

template <typename T, int kGroups>
__device__ __forceinline__ void ReadElements(const T* row, std::int64_t size, bool aligned,
                                             float (&to)[4 * kGroups]) {
  const std::int64_t lane = threadIdx.x % kLanes;
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const float4 four = FourAt(row, g * kOfFour + lane * 4, size, aligned);
    to[g * 4] = four.x;
    to[g * 4 + 1] = four.y;
    to[g * 4 + 2] = four.z;
    to[g * 4 + 3] = four.w;
  }
}

// Scores of the keys from `column` on; -infinity for columns that the row does not see.
template <typename T, int kGroups>
__device__ __forceinline__ void ScoreKeys(const AttentionCall& call, std::int64_t batch,
                                          std::int64_t head, std::int64_t row, std::int64_t column,
                                          std::int64_t last, bool aligned,
                                          const float (&query)[4 * kGroups],
                                          float (&score)[kKeysAtOnce], float& any) {
  const std::int64_t group = head / (call.q_heads / call.kv_heads);
  float key[kKeysAtOnce][4 * kGroups];
#pragma unroll
  for (int k = 0; k < kKeysAtOnce; ++k) {
    const T* from =
        column + k < last ? RowAt<T>(call.k, call.k_steps, batch, group, column + k) : nullptr;
    ReadElements<T, kGroups>(from, call.head, aligned, key[k]);
  }
#pragma unroll
  for (int k = 0; k < kKeysAtOnce; ++k) {
    score[k] = 0;
#pragma unroll
    for (int i = 0; i < 4 * kGroups; ++i) {
      score[k] = arithmetic::Fma(query[i], key[k][i] * call.scale, score[k]);
    }
  }
  for (unsigned half = kLanes / 2; half > 0; half /= 2) {
#pragma unroll
    for (int k = 0; k < kKeysAtOnce; ++k) score[k] += __shfl_xor_sync(kAllLanes, score[k], half);
  }
#pragma unroll
  for (int k = 0; k < kKeysAtOnce; ++k) {
    const float bias =
        column + k < last ? MaskAt<T>(call, batch, head, row, column + k) : -arithmetic::kInfinity;
    const bool masked = bias == -arithmetic::kInfinity;
    score[k] = masked ? bias : Capped(call, score[k]) + bias;
    if (!masked) any = 1;
  }
}

// Adds e^(score - max) times the value for each score. Values whose power is 0 are skipped, since
// they may be infinite.
template <typename T, int kGroups>
__device__ __forceinline__ void AddPowers(const AttentionCall& call, std::int64_t batch,
                                          std::int64_t group, std::int64_t column, bool aligned,
                                          const float (&score)[kKeysAtOnce],
                                          RowSums<kGroups>& sums) {
  float top = sums.max;
#pragma unroll
  for (int k = 0; k < kKeysAtOnce; ++k) top = Greater(top, score[k]);
  const float rescale = RescaleOf(sums.max, top);
  sums.max = top;
  sums.sum *= rescale;
#pragma unroll
  for (int i = 0; i < 4 * kGroups; ++i) sums.out[i] *= rescale;
  float value[kKeysAtOnce][4 * kGroups];
  float power[kKeysAtOnce];
#pragma unroll
  for (int k = 0; k < kKeysAtOnce; ++k) {
    power[k] = PowerOf(score[k], top);
    const T* from =
        power[k] == 0 ? nullptr : RowAt<T>(call.v, call.v_steps, batch, group, column + k);
    ReadElements<T, kGroups>(from, call.value, aligned, value[k]);
  }
#pragma unroll
  for (int k = 0; k < kKeysAtOnce; ++k) {
    sums.sum += power[k];
#pragma unroll
    for (int i = 0; i < 4 * kGroups; ++i) {
      sums.out[i] = arithmetic::Fma(power[k], value[k][i], sums.out[i]);
    }
  }
}

// Writes the sums of a warp to shared memory: elements, then max, sum and any.
template <int kGroups>
__device__ __forceinline__ void Share(const RowSums<kGroups>& sums, float* shared) {
  constexpr int kSize = kGroups * kOfFour + 3;
  float* own = shared + threadIdx.x / kLanes * kSize;
  const int lane = static_cast<int>(threadIdx.x % kLanes);
#pragma unroll
  for (int i = 0; i < 4 * kGroups; ++i) own[i / 4 * kOfFour + lane * 4 + i % 4] = sums.out[i];
  if (lane != 0) return;
  own[kSize - 3] = sums.max;
  own[kSize - 2] = sums.sum;
  own[kSize - 1] = sums.any;
}

// Combines the warps' sums into element `i` of the row's result.
template <int kGroups>
__device__ __forceinline__ float PutTogether(const float* shared, std::int64_t i) {
  constexpr int kSize = kGroups * kOfFour + 3;
  float max = -arithmetic::kInfinity;
  for (int w = 0; w < kWarpsOfRow; ++w) max = Greater(max, shared[w * kSize + kSize - 3]);
  float out = 0;
  float sum = 0;
  bool any = false;
  for (int w = 0; w < kWarpsOfRow; ++w) {
    const float* own = shared + w * kSize;
    any = any || own[kSize - 1] != 0;
    const float rescale = RescaleOf(own[kSize - 3], max);
    out += rescale * own[i];
    sum += rescale * own[kSize - 2];
  }
  return ResultOf(out, sum, max, any);
}

template <typename T, int kGroups>
__global__ void AttendRow(const AttentionCall call, std::int64_t items, bool aligned) {
  OPLEDGER_SHARED_NUMBERS(shared);
  for (std::int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const std::int64_t row = item % call.q_rows;
    const std::int64_t head = item / call.q_rows % call.q_heads;
    const std::int64_t batch = item / call.q_rows / call.q_heads;
    const std::int64_t group = head / (call.q_heads / call.kv_heads);
    float query[4 * kGroups];
    ReadElements<T, kGroups>(RowAt<T>(call.q, call.q_steps, batch, head, row), call.head, aligned,
                             query);
#pragma unroll
    for (int i = 0; i < 4 * kGroups; ++i) query[i] *= call.scale;
    RowSums<kGroups> sums = {};
    sums.max = -arithmetic::kInfinity;
    const SeenColumns seen = SeenBy(call, batch, row);
    std::int64_t column = seen.first + threadIdx.x / kLanes * kKeysAtOnce;
    for (; column < seen.last; column += kWarpsOfRow * kKeysAtOnce) {
      float score[kKeysAtOnce];
      ScoreKeys<T, kGroups>(call, batch, head, row, column, seen.last, aligned, query, score,
                            sums.any);
      AddPowers<T, kGroups>(call, batch, group, column, aligned, score, sums);
    }
    __syncthreads();  // the previous row has been read
    Share<kGroups>(sums, shared);
    __syncthreads();
    T* to = const_cast<T*>(RowAt<T>(call.out, call.out_steps, batch, head, row));
    for (std::int64_t i = threadIdx.x; i < call.value; i += kThreads) {
      Put(to[i], PutTogether<kGroups>(shared, i));
    }
  }
}

template <typename T, int kGroups>
const char* LaunchRow(const AttentionCall& call, bool aligned) {
  const std::int64_t items = call.batches * call.q_heads * call.q_rows;
  constexpr unsigned kBytes = kWarpsOfRow * (kGroups * kOfFour + 3) * sizeof(float);
  return Launch(&AttendRow<T, kGroups>, Blocks(items, 1), kThreads, kBytes, call, items, aligned);
}

// Returns whether four elements of a row of q, k or v may be read at once.
bool AreAligned(const AttentionCall& call) {
  const std::uintptr_t bytes = call.type == kF32 ? 16 : 8;
  const auto pointers = reinterpret_cast<std::uintptr_t>(call.q) |
                        reinterpret_cast<std::uintptr_t>(call.k) |
                        reinterpret_cast<std::uintptr_t>(call.v);
  std::int64_t sizes = call.head | call.value;
  for (const HeadSteps& steps : {call.q_steps, call.k_steps, call.v_steps}) {
    sizes |= steps.batch | steps.head | steps.row;
  }
  return pointers % bytes == 0 && sizes % 4 == 0;
}

}  // namespace

const char* LaunchAttend(const AttentionCall* call) {
  const char* problem = "attention is not float32, float16 or bfloat16";
  if (call->batches * call->q_heads * call->q_rows * call->value == 0) return nullptr;
  const bool aligned = AreAligned(*call);
  const std::int64_t width = call->head > call->value ? call->head : call->value;
  if (call->q_rows >= kFewRows || width > 2 * kOfFour) return LaunchAttendTiles(call, aligned);
  WithType(call->type, [&]<typename T>(T*) {
    problem = width <= kOfFour ? LaunchRow<T, 1>(*call, aligned) : LaunchRow<T, 2>(*call, aligned);
  });
  return problem;
}

}  // namespace opledger::cuda
