// Cuts the requested columns into pieces once, then reads them for each position. At most
// positions, all taps are inside the image.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/contraction/image_rows.h"

#include "kernels/vector/rows/strided_row.h"

namespace opledger {
namespace {

void CopyPiece(Dtype dtype, const void* image, std::int64_t at, float* to, std::size_t count) {
  const void* from = At(dtype, image, static_cast<std::size_t>(at));
  if (dtype == Dtype::kFloat32) {
    CopyFew(static_cast<const float*>(from), to, count);
  } else {
    arithmetic::Upcast(dtype, from, to, count);
  }
}

}  // namespace

std::size_t ImageRows::Cut(NumberRange numbers, Piece* pieces) const {
  const std::size_t rank = window.Rank();
  const std::size_t length = run * channels;
  const std::size_t runs = static_cast<std::size_t>(window.kernel[rank - 1]) / run;
  std::size_t count = 0;
  for (std::size_t k = numbers.first; k < numbers.first + numbers.count; ++count) {
    Piece& piece = pieces[count];
    piece.first = k % length;
    piece.count = std::min(length - piece.first, numbers.first + numbers.count - k);
    std::size_t rest = k / length;
    piece.tap[rank - 1] = static_cast<std::int64_t>(rest % runs * run) * window.dilations[rank - 1];
    rest /= runs;
    for (std::size_t d = rank - 1; d-- > 0;) {
      const auto size = static_cast<std::size_t>(window.kernel[d]);
      piece.tap[d] = static_cast<std::int64_t>(rest % size) * window.dilations[d];
      rest /= size;
    }
    piece.offset = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      piece.offset = piece.offset * window.input[d] + piece.tap[d];
    }
    piece.offset =
        piece.offset * static_cast<std::int64_t>(inputs) + static_cast<std::int64_t>(piece.first);
    k += piece.count;
  }
  return count;
}

// Reads a piece that may be partly outside the image.
void ImageRows::ReadPiece(const void* image, std::size_t channel, const WindowIterator& place,
                          const Piece& piece, float* to) const {
  const std::size_t last = window.Rank() - 1;
  std::int64_t line = place.image();
  bool inside = true;
  for (std::size_t d = 0; d < last; ++d) {
    const std::int64_t at = place.start(d) + piece.tap[d];
    inside = inside && at >= 0 && at < window.input[d];
    line = line * window.input[d] + at;
  }
  // The part of the run that is inside the image: its elements `low` to `high`.
  const std::int64_t first = place.start(last) + piece.tap[last];
  const auto taps = static_cast<std::int64_t>(run);
  const std::int64_t before = std::clamp<std::int64_t>(-first, 0, taps);
  const std::int64_t inner_size =
      std::clamp<std::int64_t>(window.input[last] - first, before, taps);
  const std::size_t end = piece.first + piece.count;
  const std::size_t low = std::clamp(static_cast<std::size_t>(before) * channels, piece.first, end);
  const std::size_t high = std::clamp(static_cast<std::size_t>(inner_size) * channels, low, end);
  if (!inside || low == high) {
    std::fill_n(to, piece.count, 0.0F);
    return;
  }
  std::fill_n(to, low - piece.first, 0.0F);
  const std::int64_t at = (line * window.input[last] + first) * static_cast<std::int64_t>(inputs) +
                          static_cast<std::int64_t>(channel + low);
  CopyPiece(dtype, image, at, to + (low - piece.first), high - low);
  std::fill_n(to + (high - piece.first), end - high, 0.0F);
}

void ImageRows::Read(const void* image, std::size_t channel, NumberRange rows, NumberRange numbers,
                     float* to) const {
  if (is_matrix) {
    for (std::size_t row = 0; row < rows.count; ++row) {
      const std::size_t at = (rows.first + row) * inputs + channel + numbers.first;
      CopyPiece(dtype, image, static_cast<std::int64_t>(at), to + row * arithmetic::kProductRowStep,
                numbers.count);
    }
    return;
  }
  Piece pieces[arithmetic::kProductDepth];
  const std::size_t count = Cut(numbers, pieces);
  WindowIterator place(window, rows.first);
  for (std::size_t row = 0; row < rows.count; ++row, place.Advance()) {
    const bool inside = place.IsInside();
    const std::int64_t origin =
        place.Pixel() * static_cast<std::int64_t>(inputs) + static_cast<std::int64_t>(channel);
    float* next = to + row * arithmetic::kProductRowStep;
    for (std::size_t i = 0; i < count; ++i) {
      if (inside) {
        CopyPiece(dtype, image, origin + pieces[i].offset, next, pieces[i].count);
      } else {
        ReadPiece(image, channel, place, pieces[i], next);
      }
      next += pieces[i].count;
    }
  }
}

ImageRows ImageRowsOf(const Window& window, std::size_t inputs, std::size_t groups, Dtype dtype) {
  const bool together = groups == 1 && window.dilations.back() == 1;
  const std::size_t run = together ? static_cast<std::size_t>(window.kernel.back()) : 1;
  const bool is_matrix = window.Taps() == 1 && window.output == window.input &&
                         window.strides == Dimensions(window.strides.size(), 1) &&
                         window.begin == Dimensions(window.begin.size(), 0);
  return {window, inputs, inputs / groups, run, dtype, is_matrix};
}

}  // namespace opledger
