// Code shared by the .cu files: reading and writing elements of every type, sums by the tree of
// kernels/cpu/reduce/reduce.h, launches. Compiled by nvcc and, for tests without a GPU, by any
// compiler with the cuda_runtime.h of tests/kernels/cuda.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "conversion/model/half/half_bits.h"
#include "kernels/arithmetic/elementary/float_bits.h"
#include "kernels/cuda/module/module.h"

namespace opledger::cuda {

struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

// Converts by instructions if the GPU has them, with the bits of half_bits.h except for the payload
// of a NaN, which only casts keep.
static __device__ __forceinline__ float Number(float x) { return x; }
static __device__ __forceinline__ float Number(Half x) {
#if defined(__CUDA_ARCH__)
  float number;
  asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(x.bits));
  return number;
#else
  return FromFloat16(x.bits);
#endif
}
static __device__ __forceinline__ float Number(BFloat16 x) { return FromBfloat16(x.bits); }
static __device__ __forceinline__ void Put(float& to, float x) { to = x; }
static __device__ __forceinline__ void Put(Half& to, float x) {
#if defined(__CUDA_ARCH__)
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(x));
#else
  to.bits = ToFloat16(x);
#endif
}
static __device__ __forceinline__ void Put(BFloat16& to, float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to.bits) : "f"(x));
#else
  to.bits = ToBfloat16(x);
#endif
}
// Returns the maximum; NaN if either is NaN; either zero of two zeros.
static __device__ __forceinline__ float Greater(float x, float y) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float greater;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(greater) : "f"(x), "f"(y));
  return greater;
#else
  return x > y || x != x ? x : y;
#endif
}

// Reads an element whose type is known only at run time; for rare reads.
static __device__ __forceinline__ float NumberAt(std::int32_t type, const void* data,
                                                 std::int64_t i) {
  switch (type) {
    case kF16:
      return Number(static_cast<const Half*>(data)[i]);
    case kBf16:
      return Number(static_cast<const BFloat16*>(data)[i]);
    case kI32:
      return static_cast<float>(static_cast<const std::int32_t*>(data)[i]);
    case kI64:
      return static_cast<float>(static_cast<const std::int64_t*>(data)[i]);
    case kU8:
      return static_cast<float>(static_cast<const std::uint8_t*>(data)[i]);
    case kI8:
      return static_cast<float>(static_cast<const std::int8_t*>(data)[i]);
    case kU16:
      return static_cast<float>(static_cast<const std::uint16_t*>(data)[i]);
    case kI16:
      return static_cast<float>(static_cast<const std::int16_t*>(data)[i]);
    default:
      return static_cast<const float*>(data)[i];
  }
}

constexpr unsigned kAllLanes = 0xffffffffU;
constexpr unsigned kLanes = 32;
constexpr unsigned kThreads = 256;

// Sums the partial sums of lanes, of which the first `used` count.
static __device__ __forceinline__ float TreeSum(float partial, std::int64_t used) {
  const unsigned lane = threadIdx.x % kLanes;
#pragma unroll
  for (unsigned half = kLanes / 2; half > 0; half /= 2) {
    const float upper = __shfl_down_sync(kAllLanes, partial, half);
    // Sums of lanes in the upper half are never used.
    if (used >= kLanes || lane + half < used) partial += upper;
  }
  return __shfl_sync(kAllLanes, partial, 0);
}

// Calls `use` with a null pointer to the type. Returns false if it is not float32, float16 or
// bfloat16.
template <typename Use>
bool WithType(std::int32_t type, const Use& use) {
  if (type == kF32) return use(static_cast<float*>(nullptr)), true;
  if (type == kF16) return use(static_cast<Half*>(nullptr)), true;
  if (type == kBf16) return use(static_cast<BFloat16*>(nullptr)), true;
  return false;
}

// Returns the runtime's message for an error, or nullptr (module.cu).
const char* Problem(cudaError_t error);
const char* Refusal(const char* why);
cudaStream_t Stream();
int Processors();

// As many blocks as the work needs, but no more than keep the GPU busy: kernels loop.
inline unsigned Blocks(std::int64_t items, std::int64_t per_block) {
  const std::int64_t wanted = (items + per_block - 1) / per_block;
  const std::int64_t max = std::int64_t{Processors()} * 16;
  return static_cast<unsigned>(wanted < 1 ? 1 : wanted < max ? wanted : max);
}

#if defined(OPLEDGER_CUDA_EMULATED)
#define OPLEDGER_SHARED_NUMBERS(name) float* name = emulated::SharedNumbers()
template <typename... P, typename... A>
const char* Launch(void (*kernel)(P...), unsigned blocks, unsigned threads, unsigned shared,
                   const A&... arguments) {
  emulated::Queue([=] { emulated::Run(blocks, threads, shared, [&] { kernel(arguments...); }); });
  return nullptr;
}
#else
#define OPLEDGER_SHARED_NUMBERS(name) extern __shared__ __align__(16) float name[]
template <typename... P, typename... A>
const char* Launch(void (*kernel)(P...), unsigned blocks, unsigned threads, unsigned shared,
                   const A&... arguments) {
  if (shared > 0) {  // as many blocks at once as have room for that memory
    cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                         cudaSharedmemCarveoutMaxShared);
  }
  cudaLaunchConfig_t how = {};
  how.gridDim = blocks;
  how.blockDim = threads;
  how.dynamicSmemBytes = shared;
  how.stream = Stream();
  return Problem(cudaLaunchKernelEx(&how, kernel, arguments...));
}
#endif

}  // namespace opledger::cuda
