// A run of taps at a time.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/image_rows.h"

#include "kernels/vector/strided_row.h"

namespace opledger {

std::size_t ImageRows::Start(std::size_t row, std::int64_t* start) const {
  for (std::size_t d = window.Rank(); d-- > 0;) {
    const auto size = static_cast<std::size_t>(window.output[d]);
    start[d] = static_cast<std::int64_t>(row % size) * window.strides[d] - window.begin[d];
    row /= size;
  }
  return row;
}

// Numbers k to k + n of a run whose first tap is at index `first` of the last dimension, the line
// of pixels beginning at `pixel`.
void ImageRows::ReadRun(const void* image, std::size_t channel, std::int64_t pixel,
                        std::int64_t first, std::size_t k, std::size_t n, float* to) const {
  // What of the run is within the line: numbers `low` to `high`.
  const std::int64_t size = window.input.back();
  const auto taps = static_cast<std::int64_t>(run);
  const std::int64_t before = std::clamp<std::int64_t>(-first, 0, taps);
  const std::int64_t inside = std::clamp<std::int64_t>(size - first, before, taps);
  const std::size_t low = std::clamp(static_cast<std::size_t>(before) * channels, k, k + n);
  const std::size_t high = std::clamp(static_cast<std::size_t>(inside) * channels, low, k + n);
  std::fill(to, to + (low - k), 0.0F);
  if (low < high) {
    const auto tap = static_cast<std::int64_t>(low / channels);
    const auto at = static_cast<std::size_t>(pixel + first + tap) * inputs + channel;
    arithmetic::Widen(dtype, At(dtype, image, at + low % channels), to + (low - k), high - low);
  }
  std::fill(to + (high - k), to + n, 0.0F);
}

void ImageRows::Read(const void* image, std::size_t channel, std::size_t row, std::size_t k,
                     std::size_t n, float* to) const {
  const std::size_t rank = window.Rank();
  std::int64_t start[kMostWindow];
  const std::size_t which = Start(row, start);
  const std::size_t length = run * channels;
  std::int64_t at[kMostWindow] = {};  // of the run's first tap
  std::size_t first = k / length;     // run
  k %= length;
  const std::size_t runs = static_cast<std::size_t>(window.kernel[rank - 1]) / run;
  at[rank - 1] = static_cast<std::int64_t>(first % runs * run);
  first /= runs;
  for (std::size_t d = rank - 1; d-- > 0;) {
    const auto size = static_cast<std::size_t>(window.kernel[d]);
    at[d] = static_cast<std::int64_t>(first % size);
    first /= size;
  }
  while (n > 0) {
    const std::size_t some = std::min(n, length - k);
    auto line = static_cast<std::int64_t>(which);
    bool inside = true;
    for (std::size_t d = 0; d + 1 < rank; ++d) {
      const std::int64_t place = start[d] + at[d] * window.dilations[d];
      inside = inside && place >= 0 && place < window.input[d];
      line = line * window.input[d] + place;
    }
    if (inside) {
      const std::int64_t place = start[rank - 1] + at[rank - 1] * window.dilations[rank - 1];
      ReadRun(image, channel, line * window.input[rank - 1], place, k, some, to);
    } else {
      std::fill(to, to + some, 0.0F);
    }
    to += some;
    n -= some;
    k = 0;
    at[rank - 1] += static_cast<std::int64_t>(run);
    for (std::size_t d = rank - 1; d > 0 && at[d] == window.kernel[d]; --d) {
      at[d] = 0;
      ++at[d - 1];
    }
  }
}

ImageRows ImageRowsOf(const Window& window, std::size_t inputs, std::size_t groups, Dtype dtype) {
  const bool together = groups == 1 && window.dilations.back() == 1;
  const std::size_t run = together ? static_cast<std::size_t>(window.kernel.back()) : 1;
  return {window, inputs, inputs / groups, run, dtype};
}

}  // namespace opledger
