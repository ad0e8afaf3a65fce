// Images with channels last, as the rows of numbers that the positions of a window see.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cpu/window.h"

namespace opledger {

inline constexpr std::size_t kMostWindow = 8;  // spatial dimensions

// A row is the taps of a position, of each the channels of one group. `run` taps of it that follow
// each other in the last dimension stand together in the image, too.
struct ImageRows {
  Window window;
  std::size_t inputs = 1;    // channels of the image
  std::size_t channels = 1;  // of one group
  std::size_t run = 1;
  Dtype dtype = Dtype::kFloat32;

  // Numbers k to k + n of row `row`, counted over all images, of the group whose first channel is
  // `channel`. Beside the image there are zeros.
  void Read(const void* image, std::size_t channel, std::size_t row, std::size_t k, std::size_t n,
            float* to) const;

  // Where the window of a position begins in every dimension; gives the image's index.
  std::size_t Start(std::size_t row, std::int64_t* start) const;

 private:
  void ReadRun(const void* image, std::size_t channel, std::int64_t pixel, std::int64_t first,
               std::size_t k, std::size_t n, float* to) const;
};
ImageRows ImageRowsOf(const Window& window, std::size_t inputs, std::size_t groups, Dtype dtype);

}  // namespace opledger
