// Images with channels last as matrices whose rows are what a window sees at each position.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/vector/rows/window_iterator.h"

namespace opledger {

struct NumberRange {
  std::size_t first;
  std::size_t count;
};

// A row has the taps of a position, each with the channels of one group. `run` successive taps in
// the last dimension are also contiguous in the image.
struct ImageRows {
  Window window;
  std::size_t inputs = 1;    // of the image
  std::size_t channels = 1;  // of one group
  std::size_t run = 1;
  Dtype dtype = Dtype::kFloat32;
  bool is_matrix = false;  // each position sees only its own pixel

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
  std::size_t Cut(NumberRange numbers, Piece* pieces) const;
  void ReadPiece(const void* image, std::size_t channel, const WindowIterator& place,
                 const Piece& piece, float* to) const;
};
ImageRows ImageRowsOf(const Window& window, std::size_t inputs, std::size_t groups, Dtype dtype);

}  // namespace opledger
