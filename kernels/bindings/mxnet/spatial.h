// Converts the windows of MXNet's convolutions and pools to the kernels' parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/bindings/mxnet/node.h"

namespace opledger {

// Returns whether the layout is N, C, spatial dimensions, which the kernels require and MXNet
// defaults to.
bool HasChannelsFirst(const MxnetNode& node);

// An attribute with a value for each spatial dimension; it may be absent or empty.
Integers SpatialList(const MxnetNode& node, std::string_view name, std::size_t rank,
                     std::int64_t absent);

// Sets kernel, strides, dilations, begin and end (pads).
void SetMxnetWindow(const MxnetNode& node, Parameters& parameters);

// The window in one dimension.
struct MxnetExtent {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad = 0;
  std::int64_t adjust = 0;
};
// Returns the size of a transposed convolution's output for `size` inputs, including pads: stride *
// (size - 1) + the extent of its kernel, or nullopt if a parameter is invalid.
std::optional<std::int64_t> WholeExtent(std::int64_t size, const MxnetExtent& extent);

}  // namespace opledger
