// Windows that slide over the spatial dimensions of a tensor N, C, D1, D2, ..., and the reference
// kernels of pools. In: a call and its window's parameters; out: a number for each position. This
// header: what convolutions and pools have in common.
// May include: kernels/cpu/formulas, kernels/cpu/move, kernels/kernel, kernels/tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "kernels/kernel/kernel.h"

namespace opledger {

struct Window {
  Dimensions input;  // spatial dimensions only, as all below
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

// Reads the parameters kernel, strides, dilations, begin, end (pads), ceil (whether a window that
// begins inside and ends outside counts). The status says why if they are not as many as the
// spatial dimensions, not positive, or leave no output.
StatusOr<Window> ReadWindow(const Call& call);
// As ReadWindow, of a pool: pads may be negative, which cut off, and a window that is larger than
// the padded input by less than its stride has one position, as in ONNX Runtime.
StatusOr<Window> ReadPoolWindow(const Call& call);

// Calls use(position, tap, index) for every tap that falls within the input, in the order of
// positions, then of taps; each counts elements of its spatial shape. `positions` are those of the
// output.
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

// What an average divides by: how many taps of a position count where pads do; those beyond the
// last pad do not.
std::size_t TapsWithPads(const Window& window, std::size_t position);

}  // namespace opledger

// Within a registration: what ReadWindow reads.
#define OPLEDGER_READS_WINDOW \
  .Reads("kernel").Reads("strides").Reads("dilations").Reads("begin").Reads("end").Reads("ceil")
