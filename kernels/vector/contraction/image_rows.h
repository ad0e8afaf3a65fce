// Images with channels last, as the rows of numbers that the positions of a window see.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/vector/rows/window_iterator.h"

namespace opledger {

struct NumberRange {
  std::size_t first;
  std::size_t count;
};

// A row is the taps of a position, of each the channels of one group. `run` taps of it that follow
// each other in the last dimension stand together in the image, too.
struct ImageRows {
  Window window;
  std::size_t inputs = 1;    // channels of the image
  std::size_t channels = 1;  // of one group
  std::size_t run = 1;
  Dtype dtype = Dtype::kFloat32;
  bool is_matrix = false;  // each position sees its own pixel

  // Some numbers of some rows, counted over all images, of the group whose first channel is
  // `channel`; at most kProductDepth numbers, rows kProductRowStep from each other. Beside the
  // image there are zeros.
  void Read(const void* image, std::size_t channel, NumberRange rows, NumberRange numbers,
            float* to) const;

 private:
  // What of a run the numbers asked for are: the run's first tap, and numbers of the run.
  struct Piece {
    std::int64_t tap[kMaxWindowRank];
    std::int64_t offset;  // of its first number from the first tap's, in the image
    std::size_t first;
    std::size_t count;
  };
  std::size_t Cut(NumberRange numbers, Piece* pieces) const;
  void ReadPiece(const void* image, std::size_t channel, const WindowIterator& place,
                 const Piece& piece, float* to) const;
};
ImageRows ImageRowsOf(const Window& window, std::size_t inputs, std::size_t groups, Dtype dtype);

}  // namespace opledger
