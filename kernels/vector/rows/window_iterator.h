// Iterates over the positions of a window without a division for each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/cpu/window/window.h"

namespace opledger {

inline constexpr std::size_t kMaxWindowRank = 8;  // spatial dimensions

// A position, counted over all images. The window must outlive the iterator.
class WindowIterator {
 public:
  WindowIterator(const Window& window, std::size_t position) : window_(window) {
    for (std::size_t d = window.Rank(); d-- > 0;) {
      const auto size = static_cast<std::size_t>(window.output[d]);
      start_[d] = static_cast<std::int64_t>(position % size) * window.strides[d] - window.begin[d];
      position /= size;
    }
    image_ = static_cast<std::int64_t>(position);
  }

  void Advance() {
    for (std::size_t d = window_.Rank(); d-- > 0;) {
      start_[d] += window_.strides[d];
      if (start_[d] < window_.output[d] * window_.strides[d] - window_.begin[d]) return;
      start_[d] = -window_.begin[d];
    }
    ++image_;
  }

  std::int64_t image() const { return image_; }
  // Returns the coordinate of the first tap in dimension d.
  std::int64_t start(std::size_t d) const { return start_[d]; }

  // Returns whether all taps are inside the image.
  bool IsInside() const {
    for (std::size_t d = 0; d < window_.Rank(); ++d) {
      const std::int64_t last = start_[d] + (window_.kernel[d] - 1) * window_.dilations[d];
      if (start_[d] < 0 || last >= window_.input[d]) return false;
    }
    return true;
  }

  // Returns the pixel of the first tap, counted over all images. The tap must be inside its image.
  std::int64_t Pixel() const {
    std::int64_t pixel = image_;
    for (std::size_t d = 0; d < window_.Rank(); ++d) {
      pixel = pixel * window_.input[d] + start_[d];
    }
    return pixel;
  }

 private:
  const Window& window_;
  std::int64_t image_;
  std::int64_t start_[kMaxWindowRank];
};

// Offsets of the pixels of all taps from the first one, valid if all are inside the image.
inline std::vector<std::int64_t> TapPixels(const Window& window) {
  std::vector<std::int64_t> pixels;
  for (std::size_t tap = 0; tap < window.Taps(); ++tap) {
    std::size_t rest = tap;
    std::int64_t pixel = 0;
    std::int64_t step = 1;
    for (std::size_t d = window.Rank(); d-- > 0;) {
      const auto size = static_cast<std::size_t>(window.kernel[d]);
      pixel += static_cast<std::int64_t>(rest % size) * window.dilations[d] * step;
      step *= window.input[d];
      rest /= size;
    }
    pixels.push_back(pixel);
  }
  return pixels;
}

}  // namespace opledger
