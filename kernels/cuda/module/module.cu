// The module's table, and device management: memory, copies, one stream, time marks.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstring>

#include "kernels/cuda/module/device_code.h"
#include "kernels/cuda/module/launchers.h"

namespace opledger::cuda {
namespace {

constexpr std::int32_t kMarks = 8;

struct State {
  bool is_open = false;
  std::int32_t gpu = 0;
  cudaStream_t stream = nullptr;
  cudaDeviceProp properties = {};
  cudaEvent_t mark[kMarks] = {};
};

State& TheState() {
  static State state;
  return state;
}

// "there are 2, from cuda:0 to cuda:1"
const char* NoSuchGpu(int count) {
  static char text[80];
  if (count == 1) return "there is only cuda:0";
  std::snprintf(text, sizeof(text), "there are %d, from cuda:0 to cuda:%d", count, count - 1);
  return text;
}

const char* Open(std::int32_t gpu) {
  State& state = TheState();
  if (state.is_open) return gpu == state.gpu ? nullptr : "another GPU is in use";
  int count = 0;
  if (const char* problem = Problem(cudaGetDeviceCount(&count))) return problem;
  if (count == 0) return Refusal("there is no GPU");
  if (gpu < 0 || gpu >= count) return Refusal(NoSuchGpu(count));
  if (const char* problem = Problem(cudaSetDevice(gpu))) return problem;
  if (const char* problem = Problem(cudaGetDeviceProperties(&state.properties, gpu))) {
    return problem;
  }
  if (const char* problem =
          Problem(cudaStreamCreateWithFlags(&state.stream, cudaStreamNonBlocking))) {
    return problem;
  }
  for (cudaEvent_t& mark : state.mark) {
    if (const char* problem = Problem(cudaEventCreate(&mark))) return problem;
  }
  state.gpu = gpu;
  state.is_open = true;
  return nullptr;
}

const char* Facts(DeviceFacts* facts) {
  const cudaDeviceProp& properties = TheState().properties;
  std::snprintf(facts->name, sizeof(facts->name), "%s", properties.name);
  facts->major = properties.major;
  facts->minor = properties.minor;
  facts->processors = properties.multiProcessorCount;
  facts->memory = properties.totalGlobalMem;
  return nullptr;
}

const char* Allocate(std::size_t bytes, void** memory) {
  return Problem(cudaMalloc(memory, bytes == 0 ? 1 : bytes));
}

const char* Release(void* memory) { return Problem(cudaFree(memory)); }

const char* Wait() { return Problem(cudaStreamSynchronize(Stream())); }

const char* Copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return bytes == 0 ? nullptr : Problem(cudaMemcpyAsync(to, from, bytes, kind, Stream()));
}

const char* CopyIn(const void* host, void* device, std::size_t bytes) {
  if (const char* problem = Copy(device, host, bytes, cudaMemcpyHostToDevice)) return problem;
  return Wait();  // the caller may change the host's memory after the call
}

const char* CopyOut(const void* device, void* host, std::size_t bytes) {
  if (const char* problem = Copy(host, device, bytes, cudaMemcpyDeviceToHost)) return problem;
  return Wait();
}

const char* CopyWithin(const void* from, void* to, std::size_t bytes) {
  return Copy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

const char* BeginCapture() {
  return Problem(cudaStreamBeginCapture(Stream(), cudaStreamCaptureModeThreadLocal));
}

const char* EndCapture(void** graph) {
  cudaGraph_t captured = nullptr;
  if (const char* problem = Problem(cudaStreamEndCapture(Stream(), &captured))) return problem;
  cudaGraphExec_t ready = nullptr;
  const char* problem = Problem(cudaGraphInstantiate(&ready, captured, 0));
  cudaGraphDestroy(captured);
  *graph = ready;
  return problem;
}

const char* LaunchGraph(void* graph) {
  return Problem(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), Stream()));
}

const char* DestroyGraph(void* graph) {
  return Problem(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)));
}

const char* Mark(std::int32_t mark) {
  if (mark < 0 || mark >= kMarks) return Refusal("the mark is out of range");
  return Problem(cudaEventRecord(TheState().mark[mark], Stream()));
}

const char* Seconds(std::int32_t from, std::int32_t to, double* seconds) {
  if (from < 0 || from >= kMarks || to < 0 || to >= kMarks)
    return Refusal("the mark is out of range");
  float milliseconds = 0;
  const char* problem =
      Problem(cudaEventElapsedTime(&milliseconds, TheState().mark[from], TheState().mark[to]));
  *seconds = milliseconds / 1000.0;
  return problem;
}

constexpr CudaModule kModule = {kModuleVersion,
                                sizeof(CudaModule),
                                &Open,
                                &Facts,
                                &Allocate,
                                &Release,
                                &CopyIn,
                                &CopyOut,
                                &CopyWithin,
                                &Wait,
                                &BeginCapture,
                                &EndCapture,
                                &LaunchGraph,
                                &DestroyGraph,
                                &Mark,
                                &Seconds,
                                &LaunchCast,
                                &LaunchChain,
                                &LaunchSoftmax,
                                &LaunchNormalise,
                                &LaunchReduce,
                                &LaunchCopy,
                                &LaunchGather,
                                &LaunchPool,
                                &LaunchColumns,
                                &LaunchGrouped,
                                &LaunchMultiply,
                                &LaunchPad,
                                &LaunchResize,
                                &LaunchQuantize,
                                &LaunchDequantize,
                                &LaunchRotate,
                                &LaunchAttend};

}  // namespace

const char* Problem(cudaError_t error) {
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

const char* Refusal(const char* why) { return why; }

cudaStream_t Stream() { return TheState().stream; }

int Processors() {
  const int count = TheState().properties.multiProcessorCount;
  return count > 0 ? count : 1;
}

}  // namespace opledger::cuda

extern "C" __attribute__((visibility("default"))) const opledger::cuda::CudaModule*
opledger_cuda_module() {
  return &opledger::cuda::kModule;
}
