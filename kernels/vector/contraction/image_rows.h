// Treats images with channels last as matrices, with a row for each position of a window. The row
// has the elements that the window covers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/vector/rows/window_iterator.h"

namespace opledger {

// The indices [first, first + count).
struct NumberRange {
  std::size_t first;
  std::size_t count;
};

// A row has the taps of a position, each with the channels of one group. `run` is the number of
// successive taps in the last dimension that are also contiguous in the image.
struct ImageRows {
  Window window;
  std::size_t inputs = 1;    // channels of the image
  std::size_t channels = 1;  // of one group
  std::size_t run = 1;
  Dtype dtype = Dtype::kFloat32;
  bool is_matrix = false;  // the window covers one pixel, so the image is the matrix

  // Reads columns `numbers` of `rows` (counted over all images) for the group whose first channel
  // is `channel`. At most kProductDepth columns; rows are written kProductRowStep elements apart.
  // Elements outside the image are 0.
  void Read(const void* image, std::size_t channel, NumberRange rows, NumberRange numbers,
            float* to) const;

 private:
  // The requested part of a run: the run's first tap, and a range of its elements.
  struct Piece {
    std::int64_t tap[kMaxWindowRank];
    std::int64_t offset;  // of its first element from the first tap, in the image
    std::size_t first;
    std::size_t count;
  };
  // Splits columns into pieces, one per run. Returns their number.
  std::size_t Cut(NumberRange numbers, Piece* pieces) const;
  void ReadPiece(const void* image, std::size_t channel, const WindowIterator& place,
                 const Piece& piece, float* to) const;
};
ImageRows ImageRowsOf(const Window& window, std::size_t inputs, std::size_t groups, Dtype dtype);

}  // namespace opledger
