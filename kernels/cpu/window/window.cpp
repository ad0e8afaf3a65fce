// Reads windows. https://onnx.ai/onnx/operators/onnx__MaxPool.html has the formula of the output
// shape.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/window/window.h"

#include <algorithm>

namespace opledger {
namespace {

constexpr std::int64_t kLargestWindowNumber = std::int64_t{1} << 31;

bool AllWithin(const Dimensions& list, std::int64_t min) {
  return std::all_of(list.begin(), list.end(),
                     [&](std::int64_t each) { return each >= min && each < kLargestWindowNumber; });
}

// Returns the number of window positions in a dimension, including pads.
std::int64_t PositionsOf(const Window& window, std::size_t d, bool ceil, bool is_pool) {
  const std::int64_t extent = (window.kernel[d] - 1) * window.dilations[d] + 1;
  const std::int64_t span = window.input[d] + window.begin[d] + window.end[d] - extent;
  if (span < 0) return is_pool && span > -window.strides[d] ? 1 : 0;
  std::int64_t positions = span / window.strides[d] + 1;
  // A window that would start in the pads after the input does not count.
  if (ceil && span % window.strides[d] != 0 &&
      positions * window.strides[d] < window.input[d] + window.begin[d]) {
    ++positions;
  }
  return positions;
}

StatusOr<Window> Read(const Call& call, bool is_pool) {
  Window window;
  const Dimensions& shape = call.Shape(0);
  if (shape.size() < 3 || shape.size() > 10) {
    return Status("its input has no spatial dimensions, or too many");
  }
  window.input.assign(shape.begin() + 2, shape.end());
  const std::size_t rank = window.input.size();
  window.kernel = call.parameters.List("kernel");
  window.strides = call.parameters.List("strides", Dimensions(rank, 1));
  window.dilations = call.parameters.List("dilations", Dimensions(rank, 1));
  window.begin = call.parameters.List("begin", Dimensions(rank, 0));
  window.end = call.parameters.List("end", Dimensions(rank, 0));
  for (const Dimensions* list : {&window.kernel, &window.strides, &window.dilations}) {
    if (list->size() != rank || !AllWithin(*list, 1)) {
      return Status("its window does not match its input's spatial dimensions");
    }
  }
  const std::int64_t least_pad = is_pool ? -kLargestWindowNumber : 0;
  if (window.begin.size() != rank || window.end.size() != rank ||
      !AllWithin(window.begin, least_pad) || !AllWithin(window.end, least_pad) ||
      !AllWithin(window.input, 0)) {
    return Status("its pads are negative or do not match its input's spatial dimensions");
  }
  const bool ceil = call.parameters.Integer("ceil", 0) != 0;
  for (std::size_t d = 0; d < rank; ++d) {
    window.output.push_back(PositionsOf(window, d, ceil, is_pool));
  }
  return window;
}

}  // namespace

StatusOr<Window> ReadWindow(const Call& call) { return Read(call, false); }

StatusOr<Window> ReadPoolWindow(const Call& call) { return Read(call, true); }

std::size_t TapsWithPads(const Window& window, std::size_t position) {
  std::size_t taps = 1;
  for (std::size_t d = window.Rank(); d-- > 0;) {
    const auto size = static_cast<std::size_t>(window.output[d]);
    const std::int64_t start = static_cast<std::int64_t>(position % size) * window.strides[d];
    position /= size;
    std::size_t inside = 0;
    for (std::int64_t k = 0; k < window.kernel[d]; ++k) {
      const std::int64_t at = start + k * window.dilations[d];
      inside += at < window.input[d] + window.begin[d] + window.end[d] ? 1 : 0;
    }
    taps *= inside;
  }
  return taps;
}

}  // namespace opledger
