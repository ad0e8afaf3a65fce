// A call of Resize: which elements of the input each result is made of, dimension by dimension.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/kernel/kernel.h"

namespace opledger {

struct ResizeTaps {
  std::size_t outputs = 0;
  std::vector<std::size_t> index;  // as many for each output as for every other
  std::vector<double> weight;
  std::vector<bool> outside;  // of each output, of tf_crop_and_resize

  std::size_t PerOutput() const { return outputs == 0 ? 0 : index.size() / outputs; }
};

// What one dimension becomes.
struct ResizedAxis {
  std::size_t outer = 1;
  std::size_t inner = 1;
  std::size_t in = 0;
  ResizeTaps taps;
};

struct ResizePlan {
  std::vector<ResizedAxis> axes;  // those that change
  Dimensions shape;               // of the output
  std::size_t in = 0;             // elements
  std::size_t max = 0;            // elements of the largest intermediate tensor
  double extrapolated = 0;
};

// Reads output: its shape; scale0, scale1, ...: of each dimension, output to input; mode,
// coordinates, rounding, cubic_a, exclude_outside and antialias; region_begin0, region_end0, ...;
// extrapolated: the number for what is outside. An error says why the call cannot be computed.
StatusOr<ResizePlan> ReadResize(const Call& call);

}  // namespace opledger
