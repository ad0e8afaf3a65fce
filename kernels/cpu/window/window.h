// Windows that slide over the spatial dimensions of a tensor N, C, D1, D2, ..., and the reference
// kernels of pools. In: a call and its window's parameters; out: a value for each position. This
// header: shared parts of convolutions and pools.
// May include: kernels/cpu/formulas, kernels/cpu/move, kernels/kernel, kernels/tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "kernels/kernel/kernel.h"

namespace opledger {

struct Window {
  Dimensions input;  // spatial dimensions only, as below
  Dimensions kernel;
  Dimensions strides;
  Dimensions dilations;
  Dimensions begin;  // pads
  Dimensions end;
  Dimensions output;

  std::size_t Rank() const { return kernel.size(); }
  std::size_t Taps() const { return Elements(kernel); }
  std::size_t Positions() const { return Elements(output); }
};

// Reads the parameters kernel, strides, dilations, begin, end (pads), ceil (counts a window that
// starts inside and ends outside). Returns an error unless there is one of each per spatial
// dimension and all are positive (pads: not negative). Dimensions of the output may be 0.
StatusOr<Window> ReadWindow(const Call& call);
// ReadWindow for pools: pads may be negative, which crops, and a window that is larger than the
// padded input by less than its stride has one position, as in ONNX Runtime.
StatusOr<Window> ReadPoolWindow(const Call& call);

// Calls use(tap, index) for every tap of a position that is inside the input, in the order of taps.
// All three are indices into the elements of their spatial shapes.
template <typename Use>
void ForEachTap(const Window& window, std::size_t position, const Use& use) {
  constexpr std::size_t kMaxSpatialRank = 8;
  const std::size_t rank = window.Rank();
  std::int64_t start[kMaxSpatialRank] = {};
  std::size_t rest = position;
  for (std::size_t d = rank; d-- > 0;) {
    const auto size = static_cast<std::size_t>(window.output[d]);
    start[d] = static_cast<std::int64_t>(rest % size) * window.strides[d] - window.begin[d];
    rest /= size;
  }
  std::int64_t at[kMaxSpatialRank] = {};
  const std::size_t taps = window.Taps();
  for (std::size_t tap = 0; tap < taps; ++tap) {
    std::int64_t index = 0;
    bool inside = true;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t place = start[d] + at[d] * window.dilations[d];
      inside = inside && place >= 0 && place < window.input[d];
      index = index * window.input[d] + place;
    }
    if (inside) use(tap, static_cast<std::size_t>(index));
    for (std::size_t d = rank; d-- > 0;) {
      if (++at[d] < window.kernel[d]) break;
      at[d] = 0;
    }
  }
}

// Returns the divisor of an average that counts pads: the taps of a position, without those beyond
// the last pad.
std::size_t TapsWithPads(const Window& window, std::size_t position);

}  // namespace opledger

// For registrations: the parameters that ReadWindow reads.
#define OPLEDGER_READS_WINDOW \
  .Reads("kernel").Reads("strides").Reads("dilations").Reads("begin").Reads("end").Reads("ceil")
