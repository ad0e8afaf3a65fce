// Runs a block's threads one after the other, each up to its next barrier. Lanes wait only for
// their warp, not for other barriers of the block.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

#include "tests/kernels/cuda/emulated/cuda_runtime.h"

EmulatedIndex threadIdx;
EmulatedIndex blockIdx;
EmulatedIndex blockDim;
EmulatedIndex gridDim;

namespace emulated {
namespace {

constexpr std::size_t kStack = 128 * 1024;
constexpr unsigned kLanes = 32;

enum class Waits { kNot, kForWarp, kForBlock, kGone };

struct Thread {
  ucontext_t context;
  std::unique_ptr<char[]> stack{new char[kStack]};
  Waits waits = Waits::kGone;
  float given = 0;
};

std::vector<Thread> g_threads;
ucontext_t g_scheduler;
const std::function<void()>* g_body = nullptr;
std::vector<float> g_shared;

void Begin() {
  (*g_body)();
  g_threads[threadIdx.x].waits = Waits::kGone;
}

void WaitAs(Waits waits) {
  Thread& own = g_threads[threadIdx.x];
  own.waits = waits;
  swapcontext(&own.context, &g_scheduler);
}

// Releases the threads from `begin` to `end` if all of them wait in this way; for a block, except
// those that have ended.
void Release(unsigned begin, unsigned end, Waits waits) {
  unsigned waiting = 0;
  unsigned gone = 0;
  for (unsigned i = begin; i < end; ++i) {
    waiting += g_threads[i].waits == waits ? 1 : 0;
    gone += g_threads[i].waits == Waits::kGone ? 1 : 0;
  }
  if (waiting == 0) return;
  if (waits == Waits::kForWarp && gone != 0) {
    std::fputs("emulated CUDA: a warp exchanges numbers with a lane that has ended\n", stderr);
    std::abort();
  }
  if (waiting + gone != end - begin) return;
  for (unsigned i = begin; i < end; ++i) {
    if (g_threads[i].waits == waits) g_threads[i].waits = Waits::kNot;
  }
}

void RunBlock(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) {
    Thread& thread = g_threads[i];
    thread.waits = Waits::kNot;
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.get();
    thread.context.uc_stack.ss_size = kStack;
    thread.context.uc_link = &g_scheduler;
    makecontext(&thread.context, &Begin, 0);
  }
  for (bool any = true; any;) {
    any = false;
    for (unsigned i = 0; i < threads; ++i) {
      if (g_threads[i].waits != Waits::kNot) continue;
      any = true;
      threadIdx.x = i;
      swapcontext(&g_scheduler, &g_threads[i].context);
    }
    for (unsigned i = 0; i < threads; i += kLanes) {
      Release(i, i + kLanes < threads ? i + kLanes : threads, Waits::kForWarp);
    }
    Release(0, threads, Waits::kForBlock);
  }
  for (unsigned i = 0; i < threads; ++i) {
    if (g_threads[i].waits == Waits::kGone) continue;
    std::fputs("emulated CUDA: threads wait for each other\n", stderr);
    std::abort();
  }
}

}  // namespace

void Run(unsigned blocks, unsigned threads, unsigned shared, const std::function<void()>& body) {
  // A GPU gives a kernel 48 KB, including static shared variables, whose size is unknown here.
  if (shared > 47 * 1024) {
    std::fputs("emulated CUDA: a kernel asks for too much shared memory\n", stderr);
    std::abort();
  }
  if (g_threads.size() < threads) g_threads.resize(threads);
  g_body = &body;
  blockDim.x = threads;
  gridDim.x = blocks;
  for (unsigned block = 0; block < blocks; ++block) {
    g_shared.assign(shared / sizeof(float), std::numeric_limits<float>::quiet_NaN());
    blockIdx.x = block;
    RunBlock(threads);
  }
}

float* SharedNumbers() { return g_shared.data(); }

void BlockBarrier() { WaitAs(Waits::kForBlock); }

float Exchange(float own, unsigned from) {
  g_threads[threadIdx.x].given = own;
  WaitAs(Waits::kForWarp);
  const float other = g_threads[threadIdx.x / kLanes * kLanes + from].given;
  WaitAs(Waits::kForWarp);
  return other;
}

}  // namespace emulated
