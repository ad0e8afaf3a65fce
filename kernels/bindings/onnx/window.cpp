// https://onnx.ai/onnx/operators/onnx__Conv.html, onnx__ConvTranspose.html, onnx__MaxPool.html
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/onnx/window.h"

#include <algorithm>

namespace opledger {
namespace {

Integers ListOf(const OnnxNode& node, const char* name, std::size_t rank, std::int64_t absent) {
  Integers list = node.List(name);
  return list.empty() ? Integers(rank, absent) : list;
}

struct Pads {
  Integers begin;
  Integers end;
};

Pads GivenPads(const OnnxNode& node, std::size_t rank) {
  const Integers pads = node.List("pads");
  if (pads.size() != 2 * rank) return {Integers(rank, 0), Integers(rank, 0)};
  return {{pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank)},
          {pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end()}};
}

// Half on each side; the odd one behind, or before it where the mode is SAME_LOWER.
void Halve(std::int64_t total, bool lower, std::int64_t& begin, std::int64_t& end) {
  const std::int64_t less = std::max<std::int64_t>(total, 0) / 2;
  const std::int64_t more = std::max<std::int64_t>(total, 0) - less;
  begin = lower ? more : less;
  end = lower ? less : more;
}

}  // namespace

void SetWindow(const OnnxNode& node, Dimensions kernel, Parameters& parameters) {
  const std::size_t rank = kernel.size();
  const Integers strides = ListOf(node, "strides", rank, 1);
  const Integers dilations = ListOf(node, "dilations", rank, 1);
  Pads pads = GivenPads(node, rank);
  const std::string automatic = node.Word("auto_pad", "NOTSET");
  const Dimensions& shape = node.Input(0).dimensions;
  const bool fits = shape.size() == rank + 2 && strides.size() == rank && dilations.size() == rank;
  if (automatic == "VALID") pads = {Integers(rank, 0), Integers(rank, 0)};
  if (fits && automatic.rfind("SAME", 0) == 0) {
    for (std::size_t d = 0; d < rank; ++d) {
      if (strides[d] < 1) continue;
      const std::int64_t out = (shape[d + 2] + strides[d] - 1) / strides[d];
      const std::int64_t extent = (kernel[d] - 1) * dilations[d] + 1;
      Halve((out - 1) * strides[d] + extent - shape[d + 2], automatic == "SAME_LOWER",
            pads.begin[d], pads.end[d]);
    }
  }
  parameters.Set("kernel", std::move(kernel));
  parameters.Set("strides", strides);
  parameters.Set("dilations", dilations);
  parameters.Set("begin", pads.begin);
  parameters.Set("end", pads.end);
  parameters.Set("ceil", node.Integer("ceil_mode", 0));
}

void SetTransposedWindow(const OnnxNode& node, Dimensions kernel, Parameters& parameters) {
  const std::size_t rank = kernel.size();
  const Integers strides = ListOf(node, "strides", rank, 1);
  const Integers dilations = ListOf(node, "dilations", rank, 1);
  const Integers extra = ListOf(node, "output_padding", rank, 0);
  const Integers wanted = node.List("output_shape");
  Pads pads = GivenPads(node, rank);
  const std::string automatic = node.Word("auto_pad", "NOTSET");
  const Dimensions& shape = node.Input(0).dimensions;
  Dimensions output(rank, 0);
  // Products of two and sums of four stay within 64 bits; the kernel refuses what is left out.
  const auto within = [](const Integers& list) {
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    return std::all_of(list.begin(), list.end(),
                       [](std::int64_t each) { return each > -kMost && each < kMost; });
  };
  const bool fits = shape.size() == rank + 2 && strides.size() == rank &&
                    dilations.size() == rank && extra.size() == rank && within(shape) &&
                    within(strides) && within(dilations) && within(extra) && within(kernel) &&
                    within(wanted) && within(pads.begin) && within(pads.end);
  for (std::size_t d = 0; fits && d < rank; ++d) {
    const std::int64_t whole =
        strides[d] * (shape[d + 2] - 1) + extra[d] + (kernel[d] - 1) * dilations[d] + 1;
    const bool same = automatic.rfind("SAME", 0) == 0;
    if (wanted.size() == rank || same) {
      output[d] = wanted.size() == rank ? wanted[d] : shape[d + 2] * strides[d];
      Halve(whole - output[d], automatic != "SAME_UPPER", pads.begin[d], pads.end[d]);
      continue;
    }
    if (automatic == "VALID") pads.begin[d] = pads.end[d] = 0;
    output[d] = whole - pads.begin[d] - pads.end[d];
  }
  parameters.Set("kernel", std::move(kernel));
  parameters.Set("strides", strides);
  parameters.Set("dilations", dilations);
  parameters.Set("begin", pads.begin);
  parameters.Set("end", pads.end);
  parameters.Set("output", output);
}

}  // namespace opledger
