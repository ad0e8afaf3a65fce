// Attention of many rows: each block computes 64 rows of queries and goes over their keys 64 at a
// time. Scores, powers and sums are in registers, and one tile of powers in shared memory. Softmax
// is online: sums are rescaled when a larger score appears.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/module/attention.h"
#include "kernels/cuda/module/launchers.h"

namespace opledger::cuda {
namespace {

constexpr int kRowsOfTile = 64;   // queries or keys
constexpr int kDepthOfTile = 32;  // elements of queries and keys, or rows of values, staged at once
constexpr int kTileStep = kRowsOfTile + 4;
constexpr int kTileThreads = 128;
constexpr int kThreadsOfRow = 8;
constexpr int kRowsOfThread = 4;
constexpr int kColumnsOfThread = 8;
constexpr unsigned kTileBytes = (kRowsOfTile + 2 * kDepthOfTile) * kTileStep * sizeof(float);

// The rows that a block computes, and the range of their values.
struct TilePlace {
  std::int64_t batch;
  std::int64_t head;
  std::int64_t group;  // the index of its keys and values
  std::int64_t row;
  std::int64_t value;
};

template <typename T, int kValues>
struct AttentionTile {
  static constexpr int kEach = kValues / kThreadsOfRow;
  const AttentionCall& call;
  TilePlace at;
  bool aligned;
  float* powers;   // column by column
  float* queries;  // element by element
  float* keys;
  float* values;  // row by row; shares memory with queries and keys
  float score[kRowsOfThread][kColumnsOfThread];
  float out[kRowsOfThread][kEach];
  float max[kRowsOfThread];
  float sum[kRowsOfThread];  // over the thread's columns
  float any[kRowsOfThread];  // 1 if a column was not masked

  static __device__ int Across() { return static_cast<int>(threadIdx.x) % kThreadsOfRow; }
  static __device__ int FirstRow() {
    return static_cast<int>(threadIdx.x) / kThreadsOfRow * kRowsOfThread;
  }
  // Four adjacent columns in each half of the tile, so that the threads of a row read from
  // different banks.
  static __device__ int Column(int i) { return Across() * 4 + i % 4 + i / 4 * (kRowsOfTile / 2); }

  __device__ AttentionTile(const AttentionCall& given, const TilePlace& place, bool is_aligned,
                           float* shared)
      : call(given),
        at(place),
        aligned(is_aligned),
        powers(shared),
        queries(powers + kRowsOfTile * kTileStep),
        keys(queries + kDepthOfTile * kTileStep),
        values(queries) {
#pragma unroll
    for (int r = 0; r < kRowsOfThread; ++r) {
      max[r] = -arithmetic::kInfinity;
      sum[r] = 0;
      any[r] = 0;
#pragma unroll
      for (int i = 0; i < kEach; ++i) out[r][i] = 0;
    }
  }
  // Stages elements from `depth` on of the row that the thread reads, as a column of `to`.
  __device__ void Stage(const T* row, std::int64_t depth, float* to) const {
    const int column = static_cast<int>(threadIdx.x) % kRowsOfTile;
    for (int i = static_cast<int>(threadIdx.x) / kRowsOfTile * 4; i < kDepthOfTile;
         i += kTileThreads / kRowsOfTile * 4) {
      const float4 four = FourAt(row, depth + i, call.head, aligned);
      to[i * kTileStep + column] = four.x * call.scale;
      to[(i + 1) * kTileStep + column] = four.y * call.scale;
      to[(i + 2) * kTileStep + column] = four.z * call.scale;
      to[(i + 3) * kTileStep + column] = four.w * call.scale;
    }
  }
  __device__ void MultiplyStaged() {
#pragma unroll 4
    for (int d = 0; d < kDepthOfTile; ++d) {
      const float4 q = *reinterpret_cast<const float4*>(queries + d * kTileStep + FirstRow());
      const float* row = keys + d * kTileStep + Across() * 4;
      const float4 low = *reinterpret_cast<const float4*>(row);
      const float4 high = *reinterpret_cast<const float4*>(row + kRowsOfTile / 2);
      const float of_row[kRowsOfThread] = {q.x, q.y, q.z, q.w};
      const float key[kColumnsOfThread] = {low.x,  low.y,  low.z,  low.w,
                                           high.x, high.y, high.z, high.w};
#pragma unroll
      for (int r = 0; r < kRowsOfThread; ++r) {
#pragma unroll
        for (int c = 0; c < kColumnsOfThread; ++c) {
          score[r][c] = arithmetic::Fma(of_row[r], key[c], score[r][c]);
        }
      }
    }
  }
  // Multiplies the rows by the keys from `column` on.
  __device__ void Multiply(std::int64_t column) {
#pragma unroll
    for (int r = 0; r < kRowsOfThread; ++r) {
#pragma unroll
      for (int c = 0; c < kColumnsOfThread; ++c) score[r][c] = 0;
    }
    const int own = static_cast<int>(threadIdx.x) % kRowsOfTile;
    const T* q = at.row + own < call.q_rows
                     ? RowAt<T>(call.q, call.q_steps, at.batch, at.head, at.row + own)
                     : nullptr;
    const T* k = column + own < call.columns
                     ? RowAt<T>(call.k, call.k_steps, at.batch, at.group, column + own)
                     : nullptr;
    for (std::int64_t depth = 0; depth < call.head; depth += kDepthOfTile) {
      __syncthreads();  // the staged elements have been used
      Stage(q, depth, queries);
      Stage(k, depth, keys);
      __syncthreads();
      MultiplyStaged();
    }
  }
  // Applies cap and mask to the scores of a row; -infinity for columns that the row does not see.
  __device__ void MaskRow(int r, std::int64_t column) {
    const std::int64_t row = at.row + FirstRow() + r;
    SeenColumns seen = {0, 0};
    if (row < call.q_rows) seen = SeenBy(call, at.batch, row);
#pragma unroll
    for (int c = 0; c < kColumnsOfThread; ++c) {
      const std::int64_t place = column + Column(c);
      float bias = -arithmetic::kInfinity;
      if (place >= seen.first && place < seen.last) {
        bias = MaskAt<T>(call, at.batch, at.head, row, place);
      }
      const bool masked = bias == -arithmetic::kInfinity;
      score[r][c] = masked ? bias : Capped(call, score[r][c]) + bias;
      if (!masked) any[r] = 1;
    }
  }
  // Replaces scores by powers, and shares these with other threads.
  __device__ void Softmax(std::int64_t column) {
#pragma unroll
    for (int r = 0; r < kRowsOfThread; ++r) {
      MaskRow(r, column);
      float top = max[r];
#pragma unroll
      for (int c = 0; c < kColumnsOfThread; ++c) top = Greater(top, score[r][c]);
      for (unsigned other = 1; other < kThreadsOfRow; other *= 2) {
        top = Greater(top, __shfl_xor_sync(kAllLanes, top, other));
      }
      const float rescale = RescaleOf(max[r], top);
      max[r] = top;
      sum[r] *= rescale;
#pragma unroll
      for (int i = 0; i < kEach; ++i) out[r][i] *= rescale;
#pragma unroll
      for (int c = 0; c < kColumnsOfThread; ++c) {
        score[r][c] = PowerOf(score[r][c], top);
        sum[r] += score[r][c];
      }
    }
#pragma unroll
    for (int c = 0; c < kColumnsOfThread; ++c) {
      *reinterpret_cast<float4*>(powers + Column(c) * kTileStep + FirstRow()) = {
          score[0][c], score[1][c], score[2][c], score[3][c]};
    }
  }
  // Stages the rows of values from `column` on. Returns whether the thread met one that is not
  // finite.
  __device__ bool StageValues(std::int64_t column) {
    constexpr int kFours = kValues / 4;
    bool finite = true;
    for (int i = static_cast<int>(threadIdx.x); i < kDepthOfTile * kFours; i += kTileThreads) {
      const std::int64_t row = column + i / kFours;
      const T* from =
          row < call.columns ? RowAt<T>(call.v, call.v_steps, at.batch, at.group, row) : nullptr;
      const float4 four = FourAt(from, at.value + i % kFours * 4, call.value, aligned);
      *reinterpret_cast<float4*>(values + i * 4) = four;
      finite = finite && IsFiniteNumber(four.x + four.y + four.z + four.w);
    }
    return !finite;
  }
  // Adds powers times values for the staged rows. If kSkips, skips values whose power is 0, since 0
  // times infinity is NaN.
  template <bool kSkips>
  __device__ void AddStaged(int first) {
#pragma unroll 2
    for (int j = 0; j < kDepthOfTile; ++j) {
      const float4 p =
          *reinterpret_cast<const float4*>(powers + (first + j) * kTileStep + FirstRow());
      const float power[kRowsOfThread] = {p.x, p.y, p.z, p.w};
#pragma unroll
      for (int i = 0; i < kEach; i += 4) {
        const float4 v = *reinterpret_cast<const float4*>(values + j * kValues + i * kThreadsOfRow +
                                                          Across() * 4);
        const float value[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int r = 0; r < kRowsOfThread; ++r) {
#pragma unroll
          for (int k = 0; k < 4; ++k) {
            const float with = arithmetic::Fma(power[r], value[k], out[r][i + k]);
            out[r][i + k] = kSkips && power[r] == 0 ? out[r][i + k] : with;
          }
        }
      }
    }
  }
  __device__ void AddValues(std::int64_t column) {
    for (int first = 0; first < kRowsOfTile; first += kDepthOfTile) {
      __syncthreads();
      if (__syncthreads_or(StageValues(column + first) ? 1 : 0) != 0) {
        AddStaged<true>(first);
      } else {
        AddStaged<false>(first);
      }
    }
  }
  __device__ void Write() const {
#pragma unroll
    for (int r = 0; r < kRowsOfThread; ++r) {
      float all = sum[r];
      float seen = any[r];
      for (unsigned other = 1; other < kThreadsOfRow; other *= 2) {
        all += __shfl_xor_sync(kAllLanes, all, other);
        seen = Greater(seen, __shfl_xor_sync(kAllLanes, seen, other));
      }
      const std::int64_t row = at.row + FirstRow() + r;
      if (row >= call.q_rows) continue;
      T* to = const_cast<T*>(RowAt<T>(call.out, call.out_steps, at.batch, at.head, row));
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        const std::int64_t value = at.value + i / 4 * 4 * kThreadsOfRow + Across() * 4 + i % 4;
        if (value < call.value) Put(to[value], ResultOf(out[r][i], all, max[r], seen != 0));
      }
    }
  }
};

template <typename T, int kValues>
__global__ void __launch_bounds__(kTileThreads)
    AttendTiles(const AttentionCall call, std::int64_t items, std::int64_t tiles,
                std::int64_t slices, bool aligned) {
  OPLEDGER_SHARED_NUMBERS(shared);
  for (std::int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const std::int64_t head = item / (slices * tiles) % call.q_heads;
    const TilePlace at = {item / (slices * tiles) / call.q_heads, head,
                          head / (call.q_heads / call.kv_heads),
                          item / slices % tiles * kRowsOfTile, item % slices * kValues};
    AttentionTile<T, kValues> tile(call, at, aligned, shared);
    const std::int64_t end = tile.at.row + kRowsOfTile;
    const std::int64_t last_row = (end < call.q_rows ? end : call.q_rows) - 1;
    const std::int64_t first = SeenBy(call, tile.at.batch, tile.at.row).first;
    const std::int64_t last = SeenBy(call, tile.at.batch, last_row).last;
    for (std::int64_t column = first; column < last; column += kRowsOfTile) {
      tile.Multiply(column);
      tile.Softmax(column);
      tile.AddValues(column);
    }
    tile.Write();
    __syncthreads();
  }
}

template <typename T, int kValues>
const char* LaunchValues(const AttentionCall& call, bool aligned) {
  const std::int64_t tiles = (call.q_rows + kRowsOfTile - 1) / kRowsOfTile;
  const std::int64_t slices = (call.value + kValues - 1) / kValues;
  const std::int64_t items = call.batches * call.q_heads * tiles * slices;
  return Launch(&AttendTiles<T, kValues>, Blocks(items, 1), kTileThreads, kTileBytes, call, items,
                tiles, slices, aligned);
}

}  // namespace

const char* LaunchAttendTiles(const AttentionCall* call, bool aligned) {
  const char* problem = "attention is not float32, float16 or bfloat16";
  WithType(call->type, [&]<typename T>(T*) {
    problem = call->value <= 64 ? LaunchValues<T, 64>(*call, aligned)
                                : LaunchValues<T, 128>(*call, aligned);
  });
  return problem;
}

}  // namespace opledger::cuda
