// The emulated device: its memory, one stream, and captures of queued work. Times are those of the
// CPU.
// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "tests/kernels/cuda/emulated/cuda_runtime.h"

namespace {

using Clock = std::chrono::steady_clock;
using Work = std::vector<std::function<void()>>;

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kPage = 4096;
constexpr int kGpus = 2;

std::size_t UpTo(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

// Strict: whole pages, followed by one without access; the allocation ends there.
struct Memory {
  char* begin = nullptr;
  std::size_t bytes = 0;
};

bool IsStrict() {
  static const bool is = [] {
    const char* how = std::getenv("OPLEDGER_CUDA_EMULATED");
    return how != nullptr && std::strcmp(how, "strict") == 0;
  }();
  return is;
}

struct Stream {
  Work waiting;
  bool records = false;
  bool spoiled = false;  // the current capture
  Work recording;
  std::map<char*, Memory> memory;  // by its address
  std::size_t launches = 0;
  std::size_t copies[3] = {};  // by cudaMemcpyKind
  std::size_t bytes[3] = {};
  std::size_t recordings = 0;
  std::size_t replays = 0;
};

void Report();

Stream& TheStream() {
  static auto* stream = [] {
    if (IsStrict()) std::atexit(&Report);
    return new Stream;  // as long as the program
  }();
  return *stream;
}

void Report() {
  const Stream& stream = TheStream();
  std::fprintf(stderr,
               "emulated CUDA: %zu launches, %zu copies in of %zu bytes, %zu copies out of %zu "
               "bytes, %zu recordings, %zu replays\n",
               stream.launches, stream.copies[cudaMemcpyHostToDevice],
               stream.bytes[cudaMemcpyHostToDevice], stream.copies[cudaMemcpyDeviceToHost],
               stream.bytes[cudaMemcpyDeviceToHost], stream.recordings, stream.replays);
}

void Allow(int access) {
  if (!IsStrict()) return;
  for (const auto& [address, memory] : TheStream().memory) {
    if (mprotect(memory.begin, memory.bytes, access) != 0) std::abort();
  }
}

// Returns whether all of it is device memory.
bool IsOfDevice(const void* data, std::size_t bytes) {
  const Stream& stream = TheStream();
  const char* first = static_cast<const char*>(data);
  const auto inner_size = stream.memory.upper_bound(const_cast<char*>(first));
  if (inner_size == stream.memory.begin()) return false;
  const Memory& memory = std::prev(inner_size)->second;
  return first + bytes <= memory.begin + memory.bytes;
}

void DoAll() {
  Stream& stream = TheStream();
  if (stream.waiting.empty()) return;
  Allow(PROT_READ | PROT_WRITE);
  for (const auto& work : std::exchange(stream.waiting, {})) work();
  Allow(PROT_NONE);
}

// Called by functions that a capture cannot contain.
bool Spoils() {
  Stream& stream = TheStream();
  stream.spoiled = stream.records;
  return stream.records;
}

}  // namespace

namespace emulated {

void Queue(std::function<void()> work) {
  Stream& stream = TheStream();
  auto counted = [work = std::move(work)] {
    ++TheStream().launches;
    work();
  };
  (stream.records ? stream.recording : stream.waiting).emplace_back(std::move(counted));
}

}  // namespace emulated

cudaError_t cudaGetDeviceCount(int* count) {
  *count = kGpus;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int gpu) {
  return gpu >= 0 && gpu < kGpus ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int gpu) {
  *properties = {};
  std::snprintf(properties->name, sizeof(properties->name), "emulated GPU %d", gpu);
  properties->multiProcessorCount = 1;
  properties->totalGlobalMem = std::size_t{1} << 30;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  if (Spoils()) return cudaErrorStreamCaptureUnsupported;
  DoAll();
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new Clock::time_point;  // as long as the program
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  TheStream().waiting.emplace_back(
      [event] { *static_cast<Clock::time_point*>(event) = Clock::now(); });
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  const auto span = *static_cast<Clock::time_point*>(to) - *static_cast<Clock::time_point*>(from);
  *milliseconds = std::chrono::duration<float, std::milli>(span).count();
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  if (Spoils()) return cudaErrorStreamCaptureUnsupported;
  const std::size_t wanted = UpTo(bytes, kAlignment);
  const std::size_t whole = IsStrict() ? UpTo(wanted, kPage) : wanted;
  void* taken = IsStrict() ? mmap(nullptr, whole + kPage, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                           : std::aligned_alloc(kAlignment, whole);
  if (taken == nullptr || taken == MAP_FAILED) return cudaErrorMemoryAllocation;
  char* begin = static_cast<char*>(taken);
  std::memset(begin, 0xff, whole);
  if (IsStrict()) mprotect(begin, whole + kPage, PROT_NONE);
  *memory = begin + (whole - wanted);
  TheStream().memory[begin + (whole - wanted)] = {begin, whole};
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  if (Spoils()) return cudaErrorStreamCaptureUnsupported;
  DoAll();
  const auto found = TheStream().memory.find(static_cast<char*>(memory));
  if (found == TheStream().memory.end()) return cudaErrorInvalidValue;
  if (IsStrict()) {
    munmap(found->second.begin, found->second.bytes + kPage);
  } else {
    std::free(found->second.begin);
  }
  TheStream().memory.erase(found);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  if (IsOfDevice(to, bytes) != (kind != cudaMemcpyDeviceToHost) ||
      IsOfDevice(from, bytes) != (kind != cudaMemcpyHostToDevice)) {
    return cudaErrorInvalidValue;
  }
  Stream& stream = TheStream();
  auto work = [=] {
    ++TheStream().copies[kind];
    TheStream().bytes[kind] += bytes;
    std::memcpy(to, from, bytes);
  };
  (stream.records ? stream.recording : stream.waiting).emplace_back(work);
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  Stream& stream = TheStream();
  stream.records = true;
  stream.spoiled = false;
  stream.recording.clear();
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  Stream& stream = TheStream();
  stream.records = false;
  if (stream.spoiled) return cudaErrorStreamCaptureUnsupported;
  *graph = new Work(std::move(stream.recording));
  ++stream.recordings;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph, int) {
  *ready = new Work(*static_cast<const Work*>(graph));
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t ready, cudaStream_t) {
  Stream& stream = TheStream();
  const auto& work = *static_cast<const Work*>(ready);
  stream.waiting.insert(stream.waiting.end(), work.begin(), work.end());
  ++stream.replays;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete static_cast<Work*>(graph);
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t ready) {
  delete static_cast<Work*>(ready);
  return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidValue:
      return "a pointer is not of the side that the call says";
    case cudaErrorStreamCaptureUnsupported:
      return "a recording cannot do that";
  }
  return "unknown";
}
