// Softmax, its logarithm and normalisation over rows: one read, one write. Short rows stay in the
// registers of a warp, longer ones in shared memory, the longest are read again. Sums follow the
// tree of kernels/cpu/tree_sum.h, in which lane i of a warp has partial sum i: the CPU's bits.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/elementary.h"
#include "kernels/cuda/device_code.h"
#include "kernels/cuda/launchers.h"

namespace opledger::cuda {
namespace {

// Numbers of a row in shared memory: a kernel gets 48 KB, of which some are other variables.
constexpr std::int64_t kMostShared = 11 * 1024;
constexpr int kFewSlots = 8;  // numbers of a row that a lane has
constexpr int kManySlots = 32;

// The row's numbers i, i + 32, ... in one lane's registers.
template <int kSlots>
struct LaneRow {
  float number[kSlots];
  std::int64_t size;
  unsigned lane;

  template <typename T>
  __device__ void Read(const T* in) {
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {
      const std::int64_t i = lane + std::int64_t{k} * kLanes;
      number[k] = i < size ? Number(in[i]) : 0;
    }
  }
  __device__ bool Has(int k) const { return lane + std::int64_t{k} * kLanes < size; }
  template <typename Map>
  __device__ float Sum(const Map& map) const {
    float partial = map(number[0]);
#pragma unroll
    for (int k = 1; k < kSlots; ++k) {
      if (Has(k)) partial += map(number[k]);
    }
    return TreeSum(partial, size);
  }
  template <typename T, typename Map>
  __device__ void Write(T* out, const Map& map) const {
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {
      const std::int64_t i = lane + std::int64_t{k} * kLanes;
      if (i < size) Put(out[i], map(number[k], i));
    }
  }
};

__device__ __forceinline__ float WarpGreatest(float own) {
  for (unsigned half = kLanes / 2; half > 0; half /= 2) {
    own = arithmetic::Maximum(own, __shfl_xor_sync(kAllLanes, own, half));
  }
  return own;
}

template <typename T, int kSlots>
__global__ void SoftmaxByWarp(const SoftmaxCall call) {
  const std::int64_t warps = std::int64_t{gridDim.x} * (kThreads / kLanes);
  std::int64_t row = std::int64_t{blockIdx.x} * (kThreads / kLanes) + threadIdx.x / kLanes;
  for (; row < call.rows; row += warps) {
    LaneRow<kSlots> own;
    own.size = call.size;
    own.lane = threadIdx.x % kLanes;
    own.Read(static_cast<const T*>(call.in) + row * call.size);
    float most = -arithmetic::kInfinity;
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {
      if (own.Has(k)) most = arithmetic::Maximum(most, own.number[k]);
    }
    most = WarpGreatest(most);
    T* out = static_cast<T*>(call.out) + row * call.size;
    if (call.logarithm != 0) {
      const float sum = own.Sum([&](float x) { return arithmetic::Exp(x - most); });
      const float log = arithmetic::Log(sum);
      own.Write(out, [&](float x, std::int64_t) { return x - most - log; });
    } else {
#pragma unroll
      for (int k = 0; k < kSlots; ++k) own.number[k] = arithmetic::Exp(own.number[k] - most);
      const float sum = own.Sum([](float x) { return x; });
      own.Write(out, [&](float x, std::int64_t) { return x / sum; });
    }
  }
}

// A row that a whole block has: value(i) for any i, from shared memory where it fits.
template <typename T>
struct BlockRow {
  const T* in;
  float* shared;  // nullptr: it does not fit
  std::int64_t size;

  __device__ void Read() {
    if (shared == nullptr) return;
    for (std::int64_t i = threadIdx.x; i < size; i += blockDim.x) shared[i] = Number(in[i]);
    __syncthreads();
  }
  __device__ float At(std::int64_t i) const {
    return shared != nullptr ? shared[i] : Number(in[i]);
  }
  // In every thread; the first warp sums.
  template <typename Map>
  __device__ float Sum(const Map& map) const {
    __shared__ float result;
    if (threadIdx.x < kLanes) {
      float partial = threadIdx.x < size ? map(At(threadIdx.x)) : 0;
#pragma unroll 8
      for (std::int64_t i = threadIdx.x + kLanes; i < size; i += kLanes) partial += map(At(i));
      partial = TreeSum(partial, size);
      if (threadIdx.x == 0) result = partial;
    }
    __syncthreads();
    const float sum = result;
    __syncthreads();
    return sum;
  }
  __device__ float Greatest() const {
    __shared__ float of_warp[kThreads / kLanes];
    float most = -arithmetic::kInfinity;
    for (std::int64_t i = threadIdx.x; i < size; i += blockDim.x) {
      most = arithmetic::Maximum(most, At(i));
    }
    most = WarpGreatest(most);
    if (threadIdx.x % kLanes == 0) of_warp[threadIdx.x / kLanes] = most;
    __syncthreads();
    for (unsigned i = 0; i < kThreads / kLanes; ++i) most = arithmetic::Maximum(most, of_warp[i]);
    __syncthreads();
    return most;
  }
};

template <typename T>
__global__ void SoftmaxByBlock(const SoftmaxCall call) {
  OPLEDGER_SHARED_NUMBERS(numbers);
  for (std::int64_t row = blockIdx.x; row < call.rows; row += gridDim.x) {
    BlockRow<T> own{static_cast<const T*>(call.in) + row * call.size,
                    call.size <= kMostShared ? numbers : nullptr, call.size};
    own.Read();
    const float most = own.Greatest();
    T* out = static_cast<T*>(call.out) + row * call.size;
    const bool keeps = call.logarithm == 0 && own.shared != nullptr;
    if (keeps) {  // exponentials in the place of numbers
      for (std::int64_t i = threadIdx.x; i < call.size; i += blockDim.x) {
        own.shared[i] = arithmetic::Exp(own.shared[i] - most);
      }
      __syncthreads();
    }
    const float sum = own.Sum([&](float x) { return keeps ? x : arithmetic::Exp(x - most); });
    const float log = arithmetic::Log(sum);
    for (std::int64_t i = threadIdx.x; i < call.size; i += blockDim.x) {
      const float x = own.At(i);
      if (call.logarithm != 0) {
        Put(out[i], x - most - log);
      } else {
        Put(out[i], (keeps ? x : arithmetic::Exp(x - most)) / sum);
      }
    }
    __syncthreads();
  }
}

struct Moments {
  float mean;
  float inverse;
};

template <typename Row>
__device__ __forceinline__ Moments MomentsOf(const NormaliseCall& call, const Row& row) {
  const auto count = static_cast<float>(call.size);
  const float mean = call.centred != 0 ? row.Sum([](float x) { return x; }) / count : 0.0F;
  const float variance = row.Sum([&](float x) { return (x - mean) * (x - mean); }) / count;
  const auto epsilon = static_cast<float>(call.epsilon);
  if (call.on_variance != 0) return {mean, 1.0F / arithmetic::Sqrt(variance + epsilon)};
  return {mean, 1.0F / (arithmetic::Sqrt(variance) + epsilon)};
}

__device__ __forceinline__ float Normalised(const NormaliseCall& call, const Moments& moments,
                                            float x, std::int64_t i) {
  float value = (x - moments.mean) * moments.inverse;
  if (call.scale != nullptr) value *= NumberAt(call.weight_type, call.scale, i);
  if (call.shift != nullptr) value += NumberAt(call.weight_type, call.shift, i);
  return value;
}

__device__ __forceinline__ void PutMoments(const NormaliseCall& call, const Moments& moments,
                                           std::int64_t row) {
  if (call.means != nullptr) call.means[row] = moments.mean;
  if (call.inverses != nullptr) call.inverses[row] = moments.inverse;
}

template <typename T, int kSlots>
__global__ void NormaliseByWarp(const NormaliseCall call) {
  const std::int64_t warps = std::int64_t{gridDim.x} * (kThreads / kLanes);
  std::int64_t row = std::int64_t{blockIdx.x} * (kThreads / kLanes) + threadIdx.x / kLanes;
  for (; row < call.rows; row += warps) {
    LaneRow<kSlots> own;
    own.size = call.size;
    own.lane = threadIdx.x % kLanes;
    own.Read(static_cast<const T*>(call.in) + row * call.size);
    const Moments moments = MomentsOf(call, own);
    own.Write(static_cast<T*>(call.out) + row * call.size,
              [&](float x, std::int64_t i) { return Normalised(call, moments, x, i); });
    if (own.lane == 0) PutMoments(call, moments, row);
  }
}

template <typename T>
__global__ void NormaliseByBlock(const NormaliseCall call) {
  OPLEDGER_SHARED_NUMBERS(numbers);
  for (std::int64_t row = blockIdx.x; row < call.rows; row += gridDim.x) {
    BlockRow<T> own{static_cast<const T*>(call.in) + row * call.size,
                    call.size <= kMostShared ? numbers : nullptr, call.size};
    own.Read();
    const Moments moments = MomentsOf(call, own);
    T* out = static_cast<T*>(call.out) + row * call.size;
    for (std::int64_t i = threadIdx.x; i < call.size; i += blockDim.x) {
      Put(out[i], Normalised(call, moments, own.At(i), i));
    }
    if (threadIdx.x == 0) PutMoments(call, moments, row);
    __syncthreads();
  }
}

// The form that fits rows of `size`.
template <typename Call>
const char* LaunchRows(const Call& call, void (*few)(Call), void (*many)(Call),
                       void (*block)(Call)) {
  const unsigned blocks = Blocks(call.rows, kThreads / kLanes);
  if (call.size <= std::int64_t{kFewSlots} * kLanes) return Launch(few, blocks, kThreads, 0, call);
  if (call.size <= std::int64_t{kManySlots} * kLanes) {
    return Launch(many, blocks, kThreads, 0, call);
  }
  const std::int64_t shared = call.size <= kMostShared ? call.size : 0;
  return Launch(block, Blocks(call.rows, 1), kThreads,
                static_cast<unsigned>(shared * sizeof(float)), call);
}

constexpr const char* kNoType = "rows are of a type that is none of the three";

}  // namespace

const char* LaunchSoftmax(const SoftmaxCall* call) {
  const char* problem = kNoType;
  if (call->rows == 0 || call->size == 0) return nullptr;
  WithType(call->type, [&]<typename T>(T*) {
    problem = LaunchRows(*call, &SoftmaxByWarp<T, kFewSlots>, &SoftmaxByWarp<T, kManySlots>,
                         &SoftmaxByBlock<T>);
  });
  return problem;
}

const char* LaunchNormalise(const NormaliseCall* call) {
  const char* problem = kNoType;
  if (call->rows == 0 || call->size == 0) return nullptr;
  WithType(call->type, [&]<typename T>(T*) {
    problem = LaunchRows(*call, &NormaliseByWarp<T, kFewSlots>, &NormaliseByWarp<T, kManySlots>,
                         &NormaliseByBlock<T>);
  });
  return problem;
}

}  // namespace opledger::cuda
