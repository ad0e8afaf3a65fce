// src/operator/nn/convolution-inl.h, deconvolution-inl.h and pooling-inl.h of MXNet have the
// defaults.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/mxnet/window.h"

#include <algorithm>

namespace opledger {

bool HasChannelsFirst(const MxnetNode& node) {
  const std::string layout = node.Word("layout", "NCHW");
  return layout.size() < 2 || layout[1] == 'C';
}

Integers SpatialList(const MxnetNode& node, std::string_view name, std::size_t rank,
                     std::int64_t absent) {
  Integers list = node.List(name);
  if (list.empty()) list.assign(rank, absent);
  list.resize(rank, absent);
  return list;
}

void SetMxnetWindow(const MxnetNode& node, Parameters& parameters) {
  const Integers kernel = node.List("kernel");
  const std::size_t rank = kernel.size();
  const Integers pads = SpatialList(node, "pad", rank, 0);
  parameters.Set("kernel", kernel);
  parameters.Set("strides", SpatialList(node, "stride", rank, 1));
  parameters.Set("dilations", SpatialList(node, "dilate", rank, 1));
  parameters.Set("begin", pads);
  parameters.Set("end", pads);
}

std::optional<std::int64_t> WholeExtent(std::int64_t size, const MxnetExtent& extent) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  const auto within = [](std::int64_t number, std::int64_t least) {
    return number >= least && number < kMost;
  };
  if (!within(size, 1) || !within(extent.kernel, 1) || !within(extent.stride, 1) ||
      !within(extent.dilation, 1) || !within(extent.pad, 0) || !within(extent.adjust, 0)) {
    return std::nullopt;
  }
  return extent.stride * (size - 1) + (extent.kernel - 1) * extent.dilation + 1;
}

}  // namespace opledger
