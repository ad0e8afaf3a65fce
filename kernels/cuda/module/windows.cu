// Windows over images with channels last: pools, the matrix of a convolution's taps, and grouped
// convolutions. A thread computes one channel of one pixel, so that adjacent threads read adjacent
// memory.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/elementary/elementary.h"
#include "kernels/cuda/module/device_code.h"
#include "kernels/cuda/module/launchers.h"

namespace opledger::cuda {
namespace {

// Where the window of an output pixel starts in the input; negative in the pads.
struct Corner {
  std::int64_t image;
  std::int64_t y;
  std::int64_t x;
  std::int64_t out_y;
  std::int64_t out_x;
};

__device__ __forceinline__ Corner CornerOf(const WindowShape& window, std::int64_t pixel) {
  const std::int64_t x = pixel % window.out[1];
  const std::int64_t y = pixel / window.out[1] % window.out[0];
  return {pixel / (window.out[0] * window.out[1]), y * window.stride[0] - window.begin[0],
          x * window.stride[1] - window.begin[1], y, x};
}

// Returns the input pixel under a tap, or -1 if the tap is in the pads.
__device__ __forceinline__ std::int64_t Under(const WindowShape& window, const Corner& corner,
                                              std::int64_t tap_y, std::int64_t tap_x) {
  const std::int64_t y = corner.y + tap_y * window.dilation[0];
  const std::int64_t x = corner.x + tap_x * window.dilation[1];
  if (y < 0 || y >= window.in[0] || x < 0 || x >= window.in[1]) return -1;
  return (corner.image * window.in[0] + y) * window.in[1] + x;
}

// Returns the number of taps in a dimension that are inside the image and its pads, for averages
// that count pads.
__device__ __forceinline__ std::int64_t TapsInside(const WindowShape& window, int d,
                                                   std::int64_t out) {
  std::int64_t inside = 0;
  for (std::int64_t k = 0; k < window.kernel[d]; ++k) {
    const std::int64_t at = out * window.stride[d] + k * window.dilation[d];
    inside += at < window.in[d] + window.begin[d] + window.end[d] ? 1 : 0;
  }
  return inside;
}

template <typename T>
__global__ void Pool(const PoolCall call, std::int64_t count) {
  const WindowShape& window = call.window;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; at < count; at += stride) {
    const std::int64_t channel = at % window.channels;
    const Corner corner = CornerOf(window, at / window.channels);
    float all = 0;
    std::int64_t taps = 0;
    for (std::int64_t y = 0; y < window.kernel[0]; ++y) {
      for (std::int64_t x = 0; x < window.kernel[1]; ++x) {
        const std::int64_t pixel = Under(window, corner, y, x);
        if (pixel < 0) continue;
        const float value =
            Number(static_cast<const T*>(call.in)[pixel * window.channels + channel]);
        if (call.average != 0) {
          all += value;
        } else {
          all = taps == 0 ? value : arithmetic::Maximum(all, value);
        }
        ++taps;
      }
    }
    if (call.average == 0 && taps == 0) all = -arithmetic::kInfinity;
    if (call.average != 0) {
      if (call.count_pads != 0) {
        taps = TapsInside(window, 0, corner.out_y) * TapsInside(window, 1, corner.out_x);
      }
      all /= static_cast<float>(taps > 0 ? taps : 1);  // pads only: 0
    }
    Put(static_cast<T*>(call.out)[at], all);
  }
}

template <typename T>
__global__ void Columns(const T* in, T* out, const WindowShape window, std::int64_t first_pixel,
                        std::int64_t count) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t taps = window.kernel[0] * window.kernel[1];
  std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; at < count; at += stride) {
    const std::int64_t channel = at % window.channels;
    const std::int64_t tap = at / window.channels % taps;
    const Corner corner = CornerOf(window, first_pixel + at / window.channels / taps);
    const std::int64_t pixel =
        Under(window, corner, tap / window.kernel[1], tap % window.kernel[1]);
    out[at] = pixel < 0 ? T(0) : in[pixel * window.channels + channel];
  }
}

template <typename T>
__global__ void ConvolveGroups(const GroupedCall call, std::int64_t count) {
  const WindowShape& window = call.window;
  const std::int64_t inputs = window.channels / call.groups;
  const std::int64_t outputs = call.out_channels / call.groups;
  const std::int64_t taps = window.kernel[0] * window.kernel[1];
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; at < count; at += stride) {
    const std::int64_t channel = at % call.out_channels;
    const Corner corner = CornerOf(window, at / call.out_channels);
    const T* weights = static_cast<const T*>(call.weights) + channel * taps * inputs;
    const std::int64_t first = channel / outputs * inputs;
    float sum = 0;
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const std::int64_t pixel =
          Under(window, corner, tap / window.kernel[1], tap % window.kernel[1]);
      if (pixel < 0) continue;
      const T* in = static_cast<const T*>(call.in) + pixel * window.channels + first;
      for (std::int64_t i = 0; i < inputs; ++i) {
        sum = arithmetic::Fma(Number(in[i]), Number(weights[tap * inputs + i]), sum);
      }
    }
    if (call.out_type == kF32) {
      static_cast<float*>(call.out)[at] = sum;
    } else {
      Put(static_cast<T*>(call.out)[at], sum);
    }
  }
}

std::int64_t Pixels(const WindowShape& window) {
  return window.images * window.out[0] * window.out[1];
}

constexpr const char* kNoWindowType = "images are not float32, float16 or bfloat16";

}  // namespace

const char* LaunchPool(const PoolCall* call) {
  const char* problem = kNoWindowType;
  const std::int64_t count = Pixels(call->window) * call->window.channels;
  if (count == 0) return nullptr;
  WithType(call->type, [&]<typename T>(T*) {
    problem = Launch(&Pool<T>, Blocks(count, kThreads), kThreads, 0, *call, count);
  });
  return problem;
}

const char* LaunchColumns(const ColumnsCall* call) {
  const WindowShape& window = call->window;
  const std::int64_t pixels = window.out[0] * window.out[1];
  const std::int64_t count =
      call->image_count * pixels * window.kernel[0] * window.kernel[1] * window.channels;
  if (count == 0) return nullptr;
  const unsigned blocks = Blocks(count, kThreads);
  if (call->type == kF32) {
    return Launch(
        &Columns<std::uint32_t>, blocks, kThreads, 0, static_cast<const std::uint32_t*>(call->in),
        static_cast<std::uint32_t*>(call->out), window, call->first_image * pixels, count);
  }
  return Launch(&Columns<std::uint16_t>, blocks, kThreads, 0,
                static_cast<const std::uint16_t*>(call->in), static_cast<std::uint16_t*>(call->out),
                window, call->first_image * pixels, count);
}

const char* LaunchGrouped(const GroupedCall* call) {
  const char* problem = kNoWindowType;
  const std::int64_t count = Pixels(call->window) * call->out_channels;
  if (count == 0) return nullptr;
  WithType(call->type, [&]<typename T>(T*) {
    problem = Launch(&ConvolveGroups<T>, Blocks(count, kThreads), kThreads, 0, *call, count);
  });
  return problem;
}

}  // namespace opledger::cuda
