// Products of 8-bit integers less their zero points, as 16-bit numbers: rows of the left factor
// with an even number of them, the right factor in panels as wide as a tile of sums, two rows of it
// beside each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/arithmetic/loops/loops.h"

namespace opledger {

struct IntegerPanels {
  std::size_t inner = 0;
  std::size_t columns = 0;

  std::size_t Pairs() const { return (inner + 1) / 2; }
  std::size_t RowStep() const { return 2 * Pairs(); }  // of the left factor, the last may be a zero
  static std::size_t Width() { return arithmetic::Integers().columns; }
  std::size_t PanelStep() const { return RowStep() * Width(); }
  std::size_t Numbers() const { return (columns + Width() - 1) / Width() * PanelStep(); }

  // Rows 2 * pair and 2 * pair + 1 of the right factor, all columns, into panels.
  void Pack(std::size_t pair, const std::int16_t* first, const std::int16_t* second,
            std::int16_t* panels) const;
  // out[i][j] = the products' sums, rows out_step numbers from each other.
  void Multiply(std::size_t rows, const std::int16_t* left, const std::int16_t* panels,
                std::uint32_t* out, std::size_t out_step) const;
};

// n bytes less `zero`.
void SubtractZero(const void* bytes, bool is_signed, std::size_t at, std::int32_t zero,
                  std::size_t n, std::int16_t* to);

}  // namespace opledger
