// QuantizeLinear and DequantizeLinear: y = round(x / scale) + zero, clamped to the type's range,
// and x = (y - zero) * scale. Same bits as kernels/cpu/elementwise/quantise.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/cuda/module/device_code.h"
#include "kernels/cuda/module/launchers.h"

namespace opledger::cuda {
namespace {

// Returns the index of the scale of element `at`. Most tensors have one scale, or one for each run
// of contiguous elements.
__device__ __forceinline__ std::int64_t ScalePlace(const QuantizeCall& call, std::int64_t at) {
  if (call.outer * call.length == 1 && call.inner_step == 0) return 0;
  std::int64_t row = 0;
  std::int64_t i = 0;
  if (at <= 0x7fffffff && call.inner <= 0x7fffffff) {  // division of 32 bits is many times faster
    const auto small = static_cast<std::uint32_t>(at);
    const auto inner = static_cast<std::uint32_t>(call.inner);
    row = small / inner;
    i = small % inner;
  } else {
    row = at / call.inner;
    i = at % call.inner;
  }
  const std::int64_t outer = row / call.length;
  const std::int64_t block = (row - outer * call.length) / call.block;
  return outer * call.outer_step + block * call.axis_step + i * call.inner_step;
}

// Clamps a rounded value to the type's range; NaN gives the lowest value.
template <typename Q>
__device__ __forceinline__ Q Saturated(float rounded, float low, float high) {
  if (!(rounded > low)) return static_cast<Q>(low);
  return static_cast<Q>(rounded < high ? rounded : high);
}

template <typename S, typename Q>
__global__ void Quantize(const QuantizeCall call, std::int64_t count, float low, float high) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; at < count; at += stride) {
    const std::int64_t place = ScalePlace(call, at);
    const float scale = Number(static_cast<const S*>(call.scale)[place]);
    const float zero =
        call.zero == nullptr ? 0.0F : static_cast<float>(static_cast<const Q*>(call.zero)[place]);
    const float steps = NumberAt(call.type, call.in, at) / scale;
    static_cast<Q*>(call.out)[at] =
        Saturated<Q>(arithmetic::RoundHalfEven(steps) + zero, low, high);
  }
}

template <typename S, typename Q>
__global__ void Dequantize(const QuantizeCall call, std::int64_t count) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; at < count; at += stride) {
    const std::int64_t place = ScalePlace(call, at);
    const std::int64_t zero =
        call.zero == nullptr ? 0 : std::int64_t{static_cast<const Q*>(call.zero)[place]};
    const std::int64_t off = std::int64_t{static_cast<const Q*>(call.in)[at]} - zero;
    Put(static_cast<S*>(call.out)[at],
        static_cast<float>(off) * Number(static_cast<const S*>(call.scale)[place]));
  }
}

// Calls `use` with a null pointer to the type, and its range. Returns false for other types.
template <typename Use>
bool WithQuantized(std::int32_t type, const Use& use) {
  if (type == kU8) return use(static_cast<std::uint8_t*>(nullptr), 0.0F, 255.0F), true;
  if (type == kI8) return use(static_cast<std::int8_t*>(nullptr), -128.0F, 127.0F), true;
  if (type == kU16) return use(static_cast<std::uint16_t*>(nullptr), 0.0F, 65535.0F), true;
  if (type == kI16) return use(static_cast<std::int16_t*>(nullptr), -32768.0F, 32767.0F), true;
  return false;
}

std::int64_t CountOf(const QuantizeCall& call) { return call.outer * call.length * call.inner; }

constexpr const char* kNoQuantized = "the quantized type is not supported";

}  // namespace

const char* LaunchQuantize(const QuantizeCall* call) {
  const char* problem = kNoQuantized;
  const std::int64_t count = CountOf(*call);
  if (count == 0) return nullptr;
  WithType(call->scale_type, [&]<typename S>(S*) {
    WithQuantized(call->quantized, [&]<typename Q>(Q*, float low, float high) {
      problem =
          Launch(&Quantize<S, Q>, Blocks(count, kThreads), kThreads, 0, *call, count, low, high);
    });
  });
  return problem;
}

const char* LaunchDequantize(const QuantizeCall* call) {
  const char* problem = kNoQuantized;
  const std::int64_t count = CountOf(*call);
  if (count == 0) return nullptr;
  WithType(call->scale_type, [&]<typename S>(S*) {
    const auto launch = [&]<typename Q>(Q*, float, float) {
      problem = Launch(&Dequantize<S, Q>, Blocks(count, kThreads), kThreads, 0, *call, count);
    };
    if (call->quantized == kI32) return launch(static_cast<std::int32_t*>(nullptr), 0, 0);
    WithQuantized(call->quantized, launch);
  });
  return problem;
}

}  // namespace opledger::cuda
