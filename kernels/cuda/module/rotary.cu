// Rotary embeddings, with the same bits as kernels/cpu/sequence/rotary.cpp. A thread computes one
// pair, or copies an element that is not rotated.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/module/device_code.h"
#include "kernels/cuda/module/launchers.h"

namespace opledger::cuda {
namespace {

// Returns the row of the tables for a row of the input, or -1 if the tables have none.
__device__ __forceinline__ std::int64_t TableRow(const RotaryCall& call, std::int64_t row) {
  if (call.positions == nullptr) return row;
  const std::int64_t given = call.positions[row];
  const std::int64_t position = given < 0 ? given + call.position_count : given;
  return position >= 0 && position < call.position_count ? position : -1;
}

template <typename T>
__global__ void Rotate(const RotaryCall call, std::int64_t slots, std::int64_t count) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; at < count; at += stride) {
    const std::int64_t slot = at % slots;
    const std::int64_t head_of_row = at / slots;
    const std::int64_t inner = call.heads_first != 0 ? call.rows : call.heads;
    const std::int64_t batch = head_of_row / (call.heads * call.rows);
    const std::int64_t row =
        call.heads_first != 0 ? head_of_row % inner : head_of_row / inner % call.rows;
    const T* in = static_cast<const T*>(call.in) + head_of_row * call.width;
    T* out = static_cast<T*>(call.out) + head_of_row * call.width;
    if (slot >= call.pairs) {
      out[slot + call.pairs] = in[slot + call.pairs];
      continue;
    }
    const std::int64_t a = call.interleaved != 0 ? 2 * slot : slot;
    const std::int64_t b = call.interleaved != 0 ? a + 1 : slot + call.pairs;
    const std::int64_t table = TableRow(call, batch * call.rows + row);
    if (table < 0) {
      out[a] = in[a];
      out[b] = in[b];
      continue;
    }
    const float cosine = Number(static_cast<const T*>(call.cosines)[table * call.pairs + slot]);
    const float sine = Number(static_cast<const T*>(call.sines)[table * call.pairs + slot]);
    const float x = Number(in[a]);
    const float y = Number(in[b]);
    Put(out[a], cosine * x - sine * y);
    Put(out[b], sine * x + cosine * y);
  }
}

}  // namespace

const char* LaunchRotate(const RotaryCall* call) {
  const char* problem = "heads are not float32, float16 or bfloat16";
  const std::int64_t slots = call->width - call->pairs;  // pairs, and elements that are not rotated
  const std::int64_t count = call->batches * call->heads * call->rows * slots;
  if (count == 0) return nullptr;
  WithType(call->type, [&]<typename T>(T*) {
    problem = Launch(&Rotate<T>, Blocks(count, kThreads), kThreads, 0, *call, slots, count);
  });
  return problem;
}

}  // namespace opledger::cuda
