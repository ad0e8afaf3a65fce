// Emulates the part of CUDA that the module's files use on the CPU: the threads of a block are
// contexts that take turns, so that barriers, shuffles and shared memory work as on a GPU. Memory
// is poisoned. Queued work runs only when the program waits for it. For tests without a GPU; not
// fast. With OPLEDGER_CUDA_EMULATED=strict in the environment, only the device can access its
// memory: a program that reads it, or writes past its end, crashes. At the end it prints counts:
//   emulated CUDA: 12 launches, 2 copies in of 96 bytes, 1 copies out of 8 bytes, 1 recordings ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(threads)

struct float4 {
  float x, y, z, w;
};

// An index of the current thread.
struct EmulatedIndex {
  unsigned x;
};
extern EmulatedIndex threadIdx;
extern EmulatedIndex blockIdx;
extern EmulatedIndex blockDim;
extern EmulatedIndex gridDim;

namespace emulated {

// Adds work to the stream.
void Queue(std::function<void()> work);
// Runs a kernel: calls `body` once for each thread. `shared`: bytes of SharedNumbers.
void Run(unsigned blocks, unsigned threads, unsigned shared, const std::function<void()>& body);
float* SharedNumbers();
void BlockBarrier();
// Returns the value that lane `from` of the same warp passes; every lane must take part.
float Exchange(float own, unsigned from);

}  // namespace emulated

inline void __syncthreads() { emulated::BlockBarrier(); }
// Returns to every thread whether any thread of the block passes nonzero.
inline int __syncthreads_or(int own) {
  static int any = 0;
  if (own != 0) any = 1;
  emulated::BlockBarrier();
  const int result = any;
  emulated::BlockBarrier();
  any = 0;
  emulated::BlockBarrier();
  return result;
}
inline float __shfl_down_sync(unsigned, float own, unsigned by) {
  const unsigned lane = threadIdx.x % 32;
  return emulated::Exchange(own, lane + by < 32 ? lane + by : lane);
}
inline float __shfl_xor_sync(unsigned, float own, unsigned by) {
  return emulated::Exchange(own, threadIdx.x % 32 ^ by);
}
inline float __shfl_sync(unsigned, float own, unsigned from) {
  return emulated::Exchange(own, from);
}
inline void __syncwarp() { emulated::Exchange(0, threadIdx.x % 32); }
inline int __any_sync(unsigned, bool own) {
  for (unsigned half = 16; half > 0; half /= 2) {
    own = emulated::Exchange(own ? 1 : 0, threadIdx.x % 32 ^ half) != 0 || own;
  }
  return own ? 1 : 0;
}
inline void atomicAdd(float* to, float number) { *to += number; }

enum cudaError_t {
  cudaSuccess,
  cudaErrorMemoryAllocation,
  cudaErrorInvalidValue,
  cudaErrorStreamCaptureUnsupported
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
using cudaStream_t = void*;
using cudaEvent_t = void*;
struct cudaDeviceProp {
  char name[256];
  int major;
  int minor;
  int multiProcessorCount;
  std::size_t totalGlobalMem;
};
inline constexpr unsigned cudaStreamNonBlocking = 1;
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
// Stream capture. Waiting and allocating memory invalidate a capture.
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal };
using cudaGraph_t = void*;
using cudaGraphExec_t = void*;
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph, int flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t ready, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t ready);
const char* cudaGetErrorString(cudaError_t error);
