// Rows and their sums by the tree of kernels/cpu/reduce/reduce.h, in which lane i adds elements i,
// i + 32, ...: same bits as on the CPU. Device code; included only by .cu files.
//   Row        in registers: each lane has the elements that it adds
//   StagedRow  in shared memory, of a block
//   LongRow    in place, read again for each use, by a block
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/cuda/module/device_code.h"

namespace opledger::cuda {

static __device__ __forceinline__ float WarpMax(float own) {
  for (unsigned half = kLanes / 2; half > 0; half /= 2) {
    own = Greater(own, __shfl_xor_sync(kAllLanes, own, half));
  }
  return own;
}

// Return, in every thread of a block, the maximum over its kWarps warps, or the first thread's
// value.
template <int kWarps>
static __device__ __forceinline__ float MaxOfWarps(float own) {
  __shared__ float of_warp[kWarps];
  if (threadIdx.x % kLanes == 0) of_warp[threadIdx.x / kLanes] = own;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kWarps; ++i) own = Greater(own, of_warp[i]);
  __syncthreads();
  return own;
}
static __device__ __forceinline__ float OfFirstThread(float own) {
  __shared__ float result;
  if (threadIdx.x == 0) result = own;
  __syncthreads();
  own = result;
  __syncthreads();
  return own;
}

constexpr int kWarp = static_cast<int>(kLanes);
// Bytes of a row in shared memory, of which a kernel has 48 KB.
constexpr std::int64_t kMaxStaged = std::int64_t{44} * 1024;

template <int kSlots>
struct Row {
  static constexpr int kMax = kSlots * kWarp;
  float number[kSlots];
  int size;
  int left;  // elements from the lane's first one on

  // The first row, and the distance to the next.
  static __device__ std::int64_t First() {
    return std::int64_t{blockIdx.x} * (kThreads / kLanes) + threadIdx.x / kLanes;
  }
  static __device__ std::int64_t Step() { return std::int64_t{gridDim.x} * (kThreads / kLanes); }
  static __device__ int Lane() { return static_cast<int>(threadIdx.x % kLanes); }
  __device__ bool Has(int slot) const { return slot * kWarp < left; }

  template <typename T>
  __device__ void Read(const T* row, std::int64_t count, float*) {
    size = static_cast<int>(count);
    left = size - Lane();
    const T* in = row + Lane();
#pragma unroll
    for (int k = 0; k < kSlots; ++k) number[k] = Has(k) ? Number(in[k * kWarp]) : 0;
  }
  // Replaces each element by map(element).
  template <typename Map>
  __device__ void Replace(const Map& map) {
#pragma unroll
    for (int k = 0; k < kSlots; ++k) number[k] = map(number[k]);
  }
  // Returns the maximum in every lane; NaN if any element is NaN.
  __device__ float Max() const {
    float max = -arithmetic::kInfinity;
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {
      if (Has(k)) max = Greater(max, number[k]);
    }
    return WarpMax(max);
  }
  // Returns the sum of map(element) in every lane.
  template <typename Map>
  __device__ float Sum(const Map& map) const {
    float partial = map(number[0]);
#pragma unroll
    for (int k = 1; k < kSlots; ++k) {
      if (Has(k)) partial += map(number[k]);
    }
    return TreeSum(partial, size);
  }
  // Returns in every lane whether is(element) for any element.
  template <typename Is>
  __device__ bool Any(const Is& is) const {
    bool any = false;
#pragma unroll
    for (int k = 0; k < kSlots; ++k) any = any || (Has(k) && is(number[k]));
    return __any_sync(kAllLanes, any) != 0;
  }
  template <typename T, typename Map>
  __device__ void Write(T* row, const Map& map) const {
    T* out = row + Lane();
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {
      if (Has(k)) Put(out[k * kWarp], map(number[k], Lane() + k * kWarp));
    }
  }
};

// 16 bytes of memory.
template <typename T>
struct alignas(16) Piece {
  static constexpr int kCount = 16 / static_cast<int>(sizeof(T));
  T number[kCount];
};

// Four warps read, map and write; the first of them adds. Staged: the type of staged elements,
// which is that of the row or float.
template <typename Staged>
struct StagedRow {
  static constexpr int kThreads = 128;
  Staged* number;
  int size;

  static __device__ std::int64_t First() { return blockIdx.x; }
  static __device__ std::int64_t Step() { return gridDim.x; }
  static __device__ int Lane() { return static_cast<int>(threadIdx.x); }

  template <typename T>
  __device__ void Read(const T* row, std::int64_t count, float* shared) {
    constexpr int kCount = Piece<T>::kCount;
    number = reinterpret_cast<Staged*>(shared);
    size = static_cast<int>(count);
    __syncthreads();  // the previous row has been used
    if (reinterpret_cast<std::uintptr_t>(row) % 16 == 0 && size % kCount == 0) {
      const auto* pieces = reinterpret_cast<const Piece<T>*>(row);
      auto* staged = reinterpret_cast<Part*>(number);
#pragma unroll 8
      for (int i = Lane(); i < size / kCount; i += kThreads) {
        const Piece<T> piece = pieces[i];
#pragma unroll
        for (int k = 0; k < kCount; k += Part::kCount) {
          Part part;
#pragma unroll
          for (int j = 0; j < Part::kCount; ++j) Stage(part.number[j], piece.number[k + j]);
          staged[(i * kCount + k) / Part::kCount] = part;
        }
      }
    } else {
#pragma unroll 8
      for (int i = Lane(); i < size; i += kThreads) Stage(number[i], row[i]);
    }
    __syncthreads();
  }
  template <typename Map>
  __device__ void Replace(const Map& map) {
    InBatches<kThreads>([&](int i, float(&x)[kBatch], auto has) {
#pragma unroll
      for (int k = 0; k < kBatch; ++k) x[k] = map(x[k]);
#pragma unroll
      for (int k = 0; k < kBatch; ++k) {
        if (has(k)) Put(number[i + k * kThreads], x[k]);
      }
    });
    __syncthreads();
  }
  __device__ float Max() const {
    float max = -arithmetic::kInfinity;
    InBatches<kThreads>([&](int, const float(&x)[kBatch], auto has) {
#pragma unroll
      for (int k = 0; k < kBatch; ++k) {
        if (has(k)) max = Greater(max, x[k]);
      }
    });
    return MaxOfWarps<kThreads / kWarp>(WarpMax(max));
  }
  template <typename Map>
  __device__ float Sum(const Map& map) const {
    float partial = -0.0F;  // adding it to a value never changes the value
    if (threadIdx.x < kLanes) {
      InBatches<kWarp>([&](int, float(&x)[kBatch], auto has) {
#pragma unroll
        for (int k = 0; k < kBatch; ++k) x[k] = map(x[k]);
#pragma unroll
        for (int k = 0; k < kBatch; ++k) {
          if (has(k)) partial += x[k];
        }
      });
      partial = TreeSum(partial, size);
    }
    return OfFirstThread(partial);
  }
  template <typename Is>
  __device__ bool Any(const Is& is) const {
    float any = 0;
    InBatches<kThreads>([&](int, const float(&x)[kBatch], auto has) {
#pragma unroll
      for (int k = 0; k < kBatch; ++k) any = has(k) && is(x[k]) ? 1 : any;
    });
    return MaxOfWarps<kThreads / kWarp>(WarpMax(any)) != 0;
  }
  template <typename T, typename Map>
  __device__ void Write(T* row, const Map& map) const {
    InBatches<kThreads>([&](int i, float(&x)[kBatch], auto has) {
#pragma unroll
      for (int k = 0; k < kBatch; ++k) {
        if (has(k)) x[k] = map(x[k], i + k * kThreads);
      }
#pragma unroll
      for (int k = 0; k < kBatch; ++k) {
        if (has(k)) Put(row[i + k * kThreads], x[k]);
      }
    });
  }

 private:
  static constexpr int kBatch = 8;
  using Part = Piece<Staged>;
  static __device__ void Stage(Staged& to, Staged from) { to = from; }
  template <typename T>
  static __device__ void Stage(float& to, T from) {
    to = Number(from);
  }

  // Calls use(i, values, has) for the elements i, i + kWidth, ... of one of kWidth threads, kBatch
  // at a time. has(k): whether element k of the batch exists.
  template <int kWidth, typename Use>
  __device__ void InBatches(const Use& use) const {
    int i = Lane();
    float x[kBatch];
    for (; i + (kBatch - 1) * kWidth < size; i += kBatch * kWidth) {
#pragma unroll
      for (int k = 0; k < kBatch; ++k) x[k] = Number(number[i + k * kWidth]);
      use(i, x, [](int) { return true; });
    }
    if (i >= size) return;
#pragma unroll
    for (int k = 0; k < kBatch; ++k)
      x[k] = i + k * kWidth < size ? Number(number[i + k * kWidth]) : 0;
    use(i, x, [&](int k) { return i + k * kWidth < size; });
  }
};

// A row of any size, processed by a block, which reads it again for each use. All threads read and
// map the elements that the first warp adds: one piece is in shared memory while the next is being
// read.
template <typename T>
struct LongRow {
  static constexpr int kEachThread = 16;
  static constexpr int kPieceSize = static_cast<int>(kThreads) * kEachThread;
  const T* in;
  std::int64_t size;

  template <typename Map>
  __device__ float Sum(const Map& map) const {
    __shared__ float piece[kPieceSize];
    float next[kEachThread];
    ReadPiece(0, next);
    float partial = -0.0F;
    for (std::int64_t first = 0; first < size; first += kPieceSize) {
      __syncthreads();  // the previous piece has been used
#pragma unroll
      for (int k = 0; k < kEachThread; ++k) {
        piece[threadIdx.x + static_cast<unsigned>(k) * kThreads] = map(next[k]);
      }
      __syncthreads();
      ReadPiece(first + kPieceSize, next);
      if (threadIdx.x >= kLanes) continue;
      const std::int64_t left = size - first;
      const int count = left < kPieceSize ? static_cast<int>(left) : kPieceSize;
#pragma unroll 8
      for (int i = static_cast<int>(threadIdx.x); i < count; i += kWarp) partial += piece[i];
    }
    if (threadIdx.x < kLanes) partial = TreeSum(partial, size);
    return OfFirstThread(partial);
  }
  __device__ float Max() const {
    float max = -arithmetic::kInfinity;
    for (std::int64_t i = threadIdx.x; i < size; i += blockDim.x) {
      max = Greater(max, Number(in[i]));
    }
    return MaxOfWarps<kThreads / kLanes>(WarpMax(max));
  }
  template <typename Out, typename Map>
  __device__ void Write(Out* out, const Map& map) const {
    for (std::int64_t i = threadIdx.x; i < size; i += blockDim.x)
      Put(out[i], map(Number(in[i]), i));
  }

 private:
  // Reads the thread's elements of the piece from `first` on; 0 beyond the row.
  __device__ void ReadPiece(std::int64_t first, float (&to)[kEachThread]) const {
#pragma unroll
    for (int k = 0; k < kEachThread; ++k) {
      const std::int64_t at = first + threadIdx.x + static_cast<std::int64_t>(k) * kThreads;
      to[k] = at < size ? Number(in[at]) : 0;
    }
  }
};

// Requirements of Function, an operation on rows of type T:
//   using Call = ...; using Element = T; using Staged = ...;  // as StagedRow's
//   static constexpr bool kManyRegisters;
//   template <typename Own> static void Apply(const Call&, Own& row, T* out, std::int64_t index);
//   static void ApplyLong(const Call&, const LongRow<T>& row, T* out, std::int64_t index);
template <typename Function, typename Own>
__global__ void ShortRows(const typename Function::Call call) {
  using T = typename Function::Element;
  OPLEDGER_SHARED_NUMBERS(numbers);
  for (std::int64_t at = Own::First(); at < call.rows; at += Own::Step()) {
    Own row;
    row.Read(static_cast<const T*>(call.in) + at * call.size, call.size, numbers);
    Function::Apply(call, row, static_cast<T*>(call.out) + at * call.size, at);
  }
}

template <typename Function>
__global__ void LongRows(const typename Function::Call call) {
  using T = typename Function::Element;
  for (std::int64_t at = blockIdx.x; at < call.rows; at += gridDim.x) {
    const LongRow<T> row{static_cast<const T*>(call.in) + at * call.size, call.size};
    Function::ApplyLong(call, row, static_cast<T*>(call.out) + at * call.size, at);
  }
}

// Uses the smallest kind of row that fits.
template <typename Function>
const char* LaunchRows(const typename Function::Call& call) {
  const auto in = [&]<int kSlots>(Row<kSlots>*) {
    return Launch(&ShortRows<Function, Row<kSlots>>, Blocks(call.rows, kThreads / kLanes), kThreads,
                  0, call);
  };
  if (call.size <= Row<8>::kMax) return in(static_cast<Row<8>*>(nullptr));
  if (call.size <= Row<16>::kMax) return in(static_cast<Row<16>*>(nullptr));
  if (call.size <= Row<24>::kMax) return in(static_cast<Row<24>*>(nullptr));
  if (call.size <= Row<32>::kMax) return in(static_cast<Row<32>*>(nullptr));
  if constexpr (Function::kManyRegisters) {
    if (call.size <= Row<64>::kMax) return in(static_cast<Row<64>*>(nullptr));
  }
  using Own = StagedRow<typename Function::Staged>;
  const auto bytes = call.size * static_cast<std::int64_t>(sizeof(typename Function::Staged));
  if (bytes > kMaxStaged) {
    return Launch(&LongRows<Function>, Blocks(call.rows, 1), kThreads, 0, call);
  }
  return Launch(&ShortRows<Function, Own>, Blocks(call.rows, 1), Own::kThreads,
                static_cast<unsigned>(bytes), call);
}

}  // namespace opledger::cuda
