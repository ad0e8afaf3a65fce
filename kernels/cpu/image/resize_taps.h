// Which input numbers an output number of a resized dimension comes from, and by which weights.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kernels/kernel/kernel.h"

namespace opledger {

// One dimension.
struct ResizeRequest {
  std::int64_t in = 0;
  std::int64_t out = 0;
  double scale = 1;         // output to input
  double region_begin = 0;  // of the input, as fractions of it: of tf_crop_and_resize
  double region_end = 1;
  std::string mode;         // nearest, linear, cubic
  std::string coordinates;  // half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners,
                            // asymmetric, tf_crop_and_resize, tf_half_pixel_for_nn
  std::string rounding;     // of nearest: round_prefer_floor, round_prefer_ceil, floor, ceil
  double cubic_a = -0.75;
  bool exclude_outside = false;  // weights of what is outside count nothing; else the edge counts
  bool antialias = false;        // what shrinks is averaged over all that it covers

  bool IsIdentity() const { return in == out && scale == 1 && coordinates != "tf_crop_and_resize"; }
};

// The parameters of those names, and scale<d>, region_begin<d> and region_end<d>.
ResizeRequest ResizeRequestOf(const Parameters& parameters, std::size_t d);

struct ResizeTaps {
  std::size_t outputs = 0;
  std::vector<std::size_t> index;  // as many for each output as for every other
  std::vector<double> weight;
  std::vector<bool> outside;  // of each output, of tf_crop_and_resize

  std::size_t PerOutput() const { return outputs == 0 ? 0 : index.size() / outputs; }
};

// False: a mode is unknown. `in` is at least 1, `scale` positive.
bool MakeResizeTaps(const ResizeRequest& request, ResizeTaps& taps);

}  // namespace opledger
