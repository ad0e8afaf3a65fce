// The layout of the scales of a quantized tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernels/kernel/channels_last.h"
#include "kernels/kernel/kernel.h"

namespace opledger {

// How scales apply to elements: one for all, one for each index of an axis, or one for each block
// of indices of an axis; with blocks, scales also vary along the other dimensions.
struct ScaleShape {
  std::size_t outer = 1;
  std::size_t length = 1;  // of the axis
  std::size_t inner = 1;
  std::size_t block = 1;
  std::size_t outer_step = 0;
  std::size_t axis_step = 0;  // per block
  std::size_t inner_step = 0;
};

// Reads the parameters axis (of the tensor with channels second) and block. Returns an empty
// string, or why the scales do not fit.
inline std::string ReadScale(const Call& call, ScaleShape& shape) {
  const Dimensions& x = call.Shape(0);
  const Dimensions& scale = call.Shape(1);
  if (call.Has(2) && Elements(call.Shape(2)) != Elements(scale)) {
    return "it does not have as many zero points as scales";
  }
  shape.inner = Elements(x);
  const std::int64_t block = call.parameters.Integer("block", 0);
  if (Elements(scale) == 1 && (block == 0 || scale.size() < 2)) return {};
  std::int64_t axis = call.parameters.Integer("axis", 1);
  if (ChannelsLast(call) && block != 0) return "it has blocks with channels last";
  if (ChannelsLast(call) && axis > 0) {
    axis = axis == 1 ? static_cast<std::int64_t>(x.size()) - 1 : axis - 1;
  }
  if (axis < 0 || axis >= static_cast<std::int64_t>(x.size())) return "its axis is out of range";
  const auto at = static_cast<std::size_t>(axis);
  const auto product = [&](std::size_t begin, std::size_t end) {
    return Elements(Dimensions(x.begin() + static_cast<std::ptrdiff_t>(begin),
                               x.begin() + static_cast<std::ptrdiff_t>(end)));
  };
  shape.outer = product(0, at);
  shape.length = static_cast<std::size_t>(x[at]);
  shape.inner = product(at + 1, x.size());
  shape.axis_step = 1;
  if (block == 0) {
    return scale == Dimensions{x[at]} ? "" : "it does not have one scale per index of its axis";
  }
  if (block < 0) return "its block is negative";
  Dimensions expected = x;
  expected[at] = x[at] / block + (x[at] % block != 0 ? 1 : 0);
  if (scale != expected) return "it does not have one scale per block of its axis";
  shape.block = static_cast<std::size_t>(block);
  shape.inner_step = 1;
  shape.axis_step = shape.inner;
  shape.outer_step = static_cast<std::size_t>(expected[at]) * shape.inner;
  return {};
}

}  // namespace opledger
