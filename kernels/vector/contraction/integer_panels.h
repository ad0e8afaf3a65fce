// Products of 8-bit integers minus their zero points, as 16-bit elements. Rows of the left factor
// have an even length; the right factor is packed into panels as wide as a tile of sums, with pairs
// of rows interleaved.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  std::size_t RowStep() const { return 2 * Pairs(); }  // of the left factor, padded
  static std::size_t Width() { return arithmetic::Integers().columns; }
  std::size_t PanelStep() const { return RowStep() * Width(); }
  std::size_t Numbers() const { return (columns + Width() - 1) / Width() * PanelStep(); }

  // Packs rows 2 * pair and 2 * pair + 1 of the right factor, all columns, into panels.
  void Pack(std::size_t pair, const std::int16_t* first, const std::int16_t* second,
            std::int16_t* panels) const;
  // Computes the sums of products of `rows` rows with one panel; rows of `sums` are `step` apart.
  void SumPanel(std::size_t rows, const std::int16_t* left, const std::int16_t* panel,
                std::uint32_t* sums, std::size_t step) const;
  // out[i][j] = the sums of products; rows of `out` are out_step elements apart.
  void Multiply(std::size_t rows, const std::int16_t* left, const std::int16_t* panels,
                std::uint32_t* out, std::size_t out_step) const;
};

// If inputs 1 and 3 of a call are constant, packs them by pack(weights, their zero points or
// nullptr, to) into `numbers` elements of 16 bits; input 1 is then not read any more. Otherwise
// returns nullptr.
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

// Writes n bytes minus `zero`.
void SubtractZero(const void* bytes, bool is_signed, std::size_t at, std::int32_t zero,
                  std::size_t n, std::int16_t* to);

}  // namespace opledger
