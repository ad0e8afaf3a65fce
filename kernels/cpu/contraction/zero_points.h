// The zero points of 8-bit factors, and the numbers that are left without them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernels/kernel/kernel.h"

namespace opledger {

// Sums as unsigned numbers, which wrap around.
using Sum = std::uint32_t;

inline bool IsByte(Dtype dtype) { return dtype == Dtype::kInt8 || dtype == Dtype::kUint8; }

inline Sum ByteAt(const void* bytes, bool is_signed, std::size_t at) {
  return is_signed ? static_cast<Sum>(static_cast<const std::int8_t*>(bytes)[at])
                   : static_cast<const std::uint8_t*>(bytes)[at];
}

// The zero points of a factor: one for all, or one of each row or column.
struct ZeroPoints {
  bool is_there = false;
  bool is_signed = false;
  std::size_t step = 0;         // from row to row
  std::size_t matrix_step = 0;  // from matrix to matrix

  Sum At(const void* zeros, std::size_t matrix, std::size_t row) const {
    return is_there ? ByteAt(zeros, is_signed, matrix * matrix_step + row * step) : 0;
  }
};

// `matrices` of `rows` each; empty: it fits.
inline std::string ReadZeros(const Call& call, std::size_t input, std::size_t rows,
                             std::size_t matrices, ZeroPoints& zeros) {
  const std::size_t of = input - 2;
  zeros.is_signed = call.Input(of).dtype == Dtype::kInt8;
  zeros.is_there = call.Has(input);
  if (!zeros.is_there) return {};
  if (call.Input(input).dtype != call.Input(of).dtype) return "its zero point is of another type";
  const std::size_t count = Elements(call.Shape(input));
  if (count == 1) return {};
  zeros.step = 1;
  if (count == rows) return {};
  zeros.matrix_step = rows;
  return count == rows * matrices ? "" : "its zero points fit neither rows nor matrices";
}

}  // namespace opledger
