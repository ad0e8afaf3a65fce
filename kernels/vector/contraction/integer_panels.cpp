// Multiplies panels by tiles, one range of depth at a time, so that inputs stay in the first-level
// cache.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/contraction/integer_panels.h"

#include <algorithm>

namespace opledger {
namespace {

constexpr std::size_t kPairDepth = 256;  // pairs of a panel at a time
constexpr std::size_t kSumRows = 56;     // rows whose sums of a panel stay in the first-level cache
constexpr std::size_t kMostColumns = 64;  // at least the columns of a panel

}  // namespace

void IntegerPanels::Pack(std::size_t pair, const std::int16_t* first, const std::int16_t* second,
                         std::int16_t* panels) const {
  const std::size_t width = Width();
  for (std::size_t at = 0; at < columns; at += width) {
    std::int16_t* to = panels + at / width * PanelStep() + pair * 2 * width;
    const std::size_t some = std::min(width, columns - at);
    arithmetic::Integers().pair_rows(first + at, second + at, to, some);
    std::fill(to + 2 * some, to + 2 * width, std::int16_t{0});
  }
}

void IntegerPanels::SumPanel(std::size_t rows, const std::int16_t* left, const std::int16_t* panel,
                             std::uint32_t* sums, std::size_t step) const {
  const arithmetic::IntegerLoops& loops = arithmetic::Integers();
  for (std::size_t k = 0; k < Pairs(); k += kPairDepth) {
    const std::size_t depth = std::min(kPairDepth, Pairs() - k);
    for (std::size_t row = 0; row < rows; row += loops.rows) {
      const std::size_t some = std::min(loops.rows, rows - row);
      loops.tiles[some - 1](depth, left + row * RowStep() + 2 * k, RowStep(),
                            panel + k * 2 * loops.columns, sums + row * step, step, k != 0);
    }
  }
}

void IntegerPanels::Multiply(std::size_t rows, const std::int16_t* left, const std::int16_t* panels,
                             std::uint32_t* out, std::size_t out_step) const {
  const std::size_t width = Width();
  std::uint32_t sums[kSumRows * kMostColumns];
  for (std::size_t row = 0; row < rows; row += kSumRows) {
    const std::size_t some = std::min(kSumRows, rows - row);
    const std::int16_t* from = left + row * RowStep();
    for (std::size_t at = 0; at < columns; at += width) {
      std::uint32_t* to = out + row * out_step + at;
      const std::int16_t* panel = panels + at / width * PanelStep();
      if (at + width <= columns) {
        SumPanel(some, from, panel, to, out_step);
        continue;
      }
      SumPanel(some, from, panel, sums, width);
      for (std::size_t i = 0; i < some; ++i) {
        std::copy_n(sums + i * width, columns - at, to + i * out_step);
      }
    }
  }
}

void SubtractZero(const void* bytes, bool is_signed, std::size_t at, std::int32_t zero,
                  std::size_t n, std::int16_t* to) {
  const arithmetic::IntegerLoops& loops = arithmetic::Integers();
  if (is_signed) {
    loops.subtract_from_int8(static_cast<const std::int8_t*>(bytes) + at, zero, to, n);
  } else {
    loops.subtract_from_uint8(static_cast<const std::uint8_t*>(bytes) + at, zero, to, n);
  }
}

}  // namespace opledger
