// Reads a call of Resize: which input elements each result is made of, dimension by dimension.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/kernel/kernel.h"

namespace opledger {

struct ResizeTaps {
  std::size_t outputs = 0;
  std::vector<std::size_t> index;  // the same number of taps for each output
  std::vector<double> weight;
  std::vector<bool> outside;  // for each output, for tf_crop_and_resize

  std::size_t PerOutput() const { return outputs == 0 ? 0 : index.size() / outputs; }
};

// How one dimension is resized.
struct ResizedAxis {
  std::size_t outer = 1;
  std::size_t inner = 1;
  std::size_t in = 0;
  ResizeTaps taps;
};

struct ResizePlan {
  std::vector<ResizedAxis> axes;  // only those that change
  Dimensions shape;               // of the output
  std::size_t in = 0;             // elements of the input
  std::size_t max = 0;            // elements of the largest intermediate tensor
  double extrapolated = 0;
};

// Reads the parameters output: its shape; scale0, scale1, ...: output size / input size of each
// dimension; mode, coordinates, rounding, cubic_a, exclude_outside and antialias; region_begin0,
// region_end0, ...; extrapolated: the value of elements outside. The error says why the call cannot
// be computed.
StatusOr<ResizePlan> ReadResize(const Call& call);

}  // namespace opledger
