// Products of 8-bit integers less their zero points, as 16-bit numbers: rows of the left factor
// with an even number of them, the right factor in panels as wide as a tile of sums, two rows of it
// beside each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/constant_tensor.h"

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
  // The sums of `rows` rows of the left factor with one panel, rows `step` numbers from each other.
  void SumPanel(std::size_t rows, const std::int16_t* left, const std::int16_t* panel,
                std::uint32_t* sums, std::size_t step) const;
  // out[i][j] = the products' sums, rows out_step numbers from each other.
  void Multiply(std::size_t rows, const std::int16_t* left, const std::int16_t* panels,
                std::uint32_t* out, std::size_t out_step) const;
};

// What pack(weights, their zero points or nullptr, to) makes of inputs 1 and 3 of a call, `numbers`
// of 16 bits, where both are known: input 1 is read no more. nullptr: they are not.
template <typename Pack>
std::shared_ptr<ConstantTensor> PackKnown(const Call& call, std::size_t numbers, Prepared& prepared,
                                          const Pack& pack) {
  const void* zeros = call.Has(3) ? call.constants[3] : nullptr;
  if (call.constants[1] == nullptr || (call.Has(3) && zeros == nullptr)) return nullptr;
  auto known = std::make_shared<ConstantTensor>(
      TensorType{Dtype::kInt16, {static_cast<std::int64_t>(numbers)}});
  pack(call.constants[1], zeros, known->As<std::int16_t>());
  known->Share();
  prepared.unread_inputs.push_back(1);
  return known;
}

// n bytes less `zero`.
void SubtractZero(const void* bytes, bool is_signed, std::size_t at, std::int32_t zero,
                  std::size_t n, std::int16_t* to);

}  // namespace opledger
