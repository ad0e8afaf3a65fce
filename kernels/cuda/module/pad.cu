// Pads a tensor with a constant, its edge, its mirror image or its repetition.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/module/device_code.h"
#include "kernels/cuda/module/launchers.h"

namespace opledger::cuda {
namespace {

// Returns the index, among `size` elements, of the element shown at `at`, which may be outside. -1:
// the constant.
__device__ __forceinline__ std::int64_t PaddedPlace(std::int32_t mode, std::int64_t at,
                                                    std::int64_t size) {
  if (at >= 0 && at < size) return at;
  if (mode == kPadConstant) return -1;
  if (mode == kPadEdge) return at < 0 ? 0 : size - 1;
  if (mode == kPadReflect && size == 1) return 0;
  const std::int64_t period = mode == kPadReflect ? 2 * (size - 1) : size;
  const std::int64_t rest = (at % period + period) % period;
  return rest < size ? rest : period - rest;
}

template <typename T>
__global__ void PadTensor(const PadCall call, std::int64_t count) {
  const T constant =
      call.value == nullptr ? static_cast<T>(call.constant) : *static_cast<const T*>(call.value);
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; at < count; at += stride) {
    std::int64_t rest = at;
    std::int64_t from = 0;
    for (int d = call.rank - 1; d >= 0 && from >= 0; --d) {
      const std::int64_t index =
          PaddedPlace(call.mode, rest % call.size[d] - call.before[d], call.kept[d]);
      from = index < 0 ? -1 : from + (call.first[d] + index) * call.stride[d];
      rest /= call.size[d];
    }
    static_cast<T*>(call.out)[at] = from < 0 ? constant : static_cast<const T*>(call.in)[from];
  }
}

}  // namespace

const char* LaunchPad(const PadCall* call) {
  std::int64_t count = 1;
  for (int d = 0; d < call->rank; ++d) count *= call->size[d];
  if (count == 0) return nullptr;
  const unsigned blocks = Blocks(count, kThreads);
  if (call->element == 1) {
    return Launch(&PadTensor<std::uint8_t>, blocks, kThreads, 0, *call, count);
  }
  if (call->element == 2) {
    return Launch(&PadTensor<std::uint16_t>, blocks, kThreads, 0, *call, count);
  }
  if (call->element == 4) {
    return Launch(&PadTensor<std::uint32_t>, blocks, kThreads, 0, *call, count);
  }
  if (call->element == 8) {
    return Launch(&PadTensor<std::uint64_t>, blocks, kThreads, 0, *call, count);
  }
  return Refusal("the size of padded elements is not supported");
}

}  // namespace opledger::cuda
