// Work on many tensors in one launch: the table of tensors travels with it. Blocks take pieces of
// tensors, so that three hundred small ones fill the GPU as one large does.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/module/device_code.h"
#include "kernels/cuda/module/launchers.h"

namespace opledger::cuda {
namespace {

constexpr int kEach = 4;
constexpr std::int64_t kPiece = 32768;  // numbers that a block takes at a time
constexpr int kMostTensors = 480;       // of one launch: the table has 32 KB at most

struct Tensor {
  TensorSpan span;
  std::int64_t first_piece;
};
struct TensorTable {
  Tensor tensor[kMostTensors];
  std::int64_t pieces;
  float* sum;
  std::int32_t* flag;
  float alpha;
  float beta;
  std::int32_t work;
  std::int32_t tensors;
};

static __device__ bool IsFinite(float x) {
  return (arithmetic::Bits(x) & 0x7f800000U) != 0x7f800000U;
}

// The sum of all threads' numbers, in thread 0.
__device__ float BlockSum(float own) {
  __shared__ float of_warp[kThreads / kLanes];
  for (unsigned half = kLanes / 2; half > 0; half /= 2) {
    own += __shfl_down_sync(kAllLanes, own, half);
  }
  if (threadIdx.x % kLanes == 0) of_warp[threadIdx.x / kLanes] = own;
  __syncthreads();
  float sum = 0;
  for (unsigned i = 0; threadIdx.x == 0 && i < blockDim.x / kLanes; ++i) sum += of_warp[i];
  return sum;
}

template <typename T, typename Out>
__device__ __forceinline__ float WorkOn(const TensorTable& table, const TensorSpan& span,
                                        std::int64_t i, bool& finite) {
  const float x = Number(static_cast<const T*>(span.in)[i]);
  if (table.work == kSumSquares) return x * x;
  finite = finite && IsFinite(x);
  if (table.work == kAllFinite) return 0;
  float result = x * table.alpha;
  if (table.work == kAxpby) {
    const float other = Number(static_cast<const T*>(span.other)[i]);
    finite = finite && IsFinite(other);
    result += table.beta * other;
  }
  Put(static_cast<Out*>(span.out)[i], result);
  return 0;
}

// Four numbers at once where pointers allow; what is left one by one.
template <typename T, typename Out>
__device__ __forceinline__ float WorkOnFour(const TensorTable& table, const TensorSpan& span,
                                            std::int64_t at, bool& finite) {
  struct alignas(sizeof(T) * kEach) FourIn {
    T number[kEach];
  };
  struct alignas(sizeof(Out) * kEach) FourOut {
    Out number[kEach];
  };
  const auto in = *reinterpret_cast<const FourIn*>(static_cast<const T*>(span.in) + at);
  float sum = 0;
  if (table.work == kSumSquares) {
#pragma unroll
    for (int i = 0; i < kEach; ++i) sum += Number(in.number[i]) * Number(in.number[i]);
    return sum;
  }
  FourIn other = in;
  if (table.work == kAxpby) {
    other = *reinterpret_cast<const FourIn*>(static_cast<const T*>(span.other) + at);
  }
  FourOut out;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const float x = Number(in.number[i]);
    const float y = Number(other.number[i]);
    finite = finite && IsFinite(x) && IsFinite(y);
    float result = x * table.alpha;
    if (table.work == kAxpby) result += table.beta * y;
    Put(out.number[i], result);
  }
  if (table.work != kAllFinite) {
    *reinterpret_cast<FourOut*>(static_cast<Out*>(span.out) + at) = out;
  }
  return 0;
}

__device__ __forceinline__ bool Aligned(const TensorSpan& span) {
  return (reinterpret_cast<std::uintptr_t>(span.in) | reinterpret_cast<std::uintptr_t>(span.other) |
          reinterpret_cast<std::uintptr_t>(span.out)) %
             16 ==
         0;
}

template <typename T, typename Out>
__global__ void WorkOnTensors(const TensorTable table) {
  bool finite = true;
  float sum = 0;
  for (std::int64_t piece = blockIdx.x; piece < table.pieces; piece += gridDim.x) {
    int first = 0;
    for (int last = table.tensors; last - first > 1;) {
      const int middle = (first + last) / 2;
      (table.tensor[middle].first_piece <= piece ? first : last) = middle;
    }
    const TensorSpan& span = table.tensor[first].span;
    const std::int64_t begin = (piece - table.tensor[first].first_piece) * kPiece;
    const std::int64_t end = begin + kPiece < span.count ? begin + kPiece : span.count;
    const std::int64_t fours = Aligned(span) ? (end - begin) / kEach * kEach : 0;
#pragma unroll 4
    for (std::int64_t i = begin + threadIdx.x * kEach; i < begin + fours; i += kThreads * kEach) {
      sum += WorkOnFour<T, Out>(table, span, i, finite);
    }
    for (std::int64_t i = begin + fours + threadIdx.x; i < end; i += kThreads) {
      sum += WorkOn<T, Out>(table, span, i, finite);
    }
  }
  if (!finite) *table.flag = 0;
  if (table.work != kSumSquares) return;
  sum = BlockSum(sum);
  if (threadIdx.x == 0) atomicAdd(table.sum, sum);
}

__global__ void BeginWork(std::int32_t* flag, float* sum) {
  if (flag != nullptr) *flag = 1;
  if (sum != nullptr) *sum = 0;
}

const char* LaunchTable(const TensorsCall& call, const TensorTable& table) {
  const char* problem = "a tensor is of a type that is none of the three";
  const unsigned blocks = Blocks(table.pieces, 1);
  WithType(call.type, [&]<typename T>(T*) {
    const bool reads = call.work == kAllFinite || call.work == kSumSquares;
    if (reads || call.out_type == call.type) {
      problem = Launch(&WorkOnTensors<T, T>, blocks, kThreads, 0, table);
    } else if (call.out_type == kF32) {
      problem = Launch(&WorkOnTensors<T, float>, blocks, kThreads, 0, table);
    } else if (call.type == kF32) {
      if (call.out_type == kF16) {
        problem = Launch(&WorkOnTensors<float, Half>, blocks, kThreads, 0, table);
      } else if (call.out_type == kBf16) {
        problem = Launch(&WorkOnTensors<float, Brain>, blocks, kThreads, 0, table);
      }
    }
  });
  return problem;
}

}  // namespace

const char* LaunchTensors(const TensorsCall* call) {
  if (const char* problem = Launch(&BeginWork, 1, 1, 0, call->flag, call->sum)) return problem;
  static thread_local TensorTable table;
  table = {};
  table.sum = call->sum;
  table.flag = call->flag;
  table.alpha = call->alpha;
  table.beta = call->beta;
  table.work = call->work;
  for (std::int64_t i = 0; i < call->tensor_count; ++i) {
    const TensorSpan& span = call->tensors[i];
    if (span.count != 0) {
      table.tensor[table.tensors++] = {span, table.pieces};
      table.pieces += (span.count + kPiece - 1) / kPiece;
    }
    if (table.tensors != kMostTensors && i + 1 != call->tensor_count) continue;
    if (table.tensors == 0) continue;
    if (const char* problem = LaunchTable(*call, table)) return problem;
    table.tensors = 0;
    table.pieces = 0;
  }
  return nullptr;
}

}  // namespace opledger::cuda
