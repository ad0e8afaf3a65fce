// The windows of MXNet's convolutions and pools, as the kernels' parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/bindings/mxnet/node.h"

namespace opledger {

// Whether the layout is N, C, spatial dimensions: what kernels take, and MXNet's default.
bool HasChannelsFirst(const MxnetNode& node);

// One number of each spatial dimension: of an attribute, which may be left out or empty.
Integers SpatialList(const MxnetNode& node, std::string_view name, std::size_t rank,
                     std::int64_t absent);

// Sets kernel, strides, dilations, begin and end (pads).
void SetMxnetWindow(const MxnetNode& node, Parameters& parameters);

// Of one dimension.
struct MxnetExtent {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad = 0;
  std::int64_t adjust = 0;
};
// What a transposed convolution makes of `size` numbers, pads and all: stride * (size - 1) + the
// extent of its kernel. None: a number of it is no size.
std::optional<std::int64_t> WholeExtent(std::int64_t size, const MxnetExtent& extent);

}  // namespace opledger
