// Multiplies panels by tiles, one range of depth at a time, so that inputs stay in the first-level
// cache.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/contraction/integer_panels.h"

namespace opledger {
namespace {

constexpr std::size_t kPairDepth = 256;   // pairs of rows of a panel at a time
constexpr std::size_t kEdgeColumns = 64;  // more columns than any tile has

struct SumRows {
  std::uint32_t* first;
  std::size_t step;
};

// A tile with fewer columns than the loops write.
void MultiplyEdge(std::size_t rows, std::size_t columns, std::size_t pairs,
                  const std::int16_t* left, std::size_t left_step, const std::int16_t* panel,
                  const SumRows& out, bool adds) {
  std::uint32_t sums[arithmetic::kMaxProductRows * kEdgeColumns];
  arithmetic::Integers().tiles[rows - 1](pairs, left, left_step, panel, sums, kEdgeColumns, false);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      std::uint32_t& sum = out.first[i * out.step + j];
      sum = (adds ? sum : 0) + sums[i * kEdgeColumns + j];
    }
  }
}

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

void IntegerPanels::Multiply(std::size_t rows, const std::int16_t* left, const std::int16_t* panels,
                             std::uint32_t* out, std::size_t out_step) const {
  const arithmetic::IntegerLoops& loops = arithmetic::Integers();
  const std::size_t width = loops.columns;
  for (std::size_t k = 0; k < Pairs(); k += kPairDepth) {
    const std::size_t depth = std::min(kPairDepth, Pairs() - k);
    for (std::size_t at = 0; at < columns; at += width) {
      const std::int16_t* panel = panels + at / width * PanelStep() + k * 2 * width;
      for (std::size_t row = 0; row < rows; row += loops.rows) {
        const std::size_t some = std::min(loops.rows, rows - row);
        const std::int16_t* from = left + row * RowStep() + 2 * k;
        std::uint32_t* to = out + row * out_step + at;
        if (columns - at < width) {
          MultiplyEdge(some, columns - at, depth, from, RowStep(), panel, {to, out_step}, k != 0);
        } else {
          loops.tiles[some - 1](depth, from, RowStep(), panel, to, out_step, k != 0);
        }
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
