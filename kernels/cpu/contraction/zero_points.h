// Factors of 8-bit integers, less zero points: one for all, or one of each row or column.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernels/kernel/kernel.h"

namespace opledger {

inline std::int32_t ByteAt(const void* bytes, bool is_signed, std::size_t at) {
  return is_signed ? static_cast<const std::int8_t*>(bytes)[at]
                   : static_cast<const std::uint8_t*>(bytes)[at];
}

struct ZeroPoints {
  bool is_there = false;
  bool is_signed = false;
  std::size_t step = 0;         // from row to row
  std::size_t matrix_step = 0;  // from matrix to matrix

  std::int32_t At(const void* zeros, std::size_t matrix, std::size_t row) const {
    return is_there ? ByteAt(zeros, is_signed, matrix * matrix_step + row * step) : 0;
  }
};

// Whether inputs 0 and 1 are such factors.
bool FactorsAreBytes(const Call& call);

// Of the zero points at `input`, which are those of the factor at `input` - 2: of `matrices` with
// `rows` each. Empty: they fit.
std::string ReadZeros(const Call& call, std::size_t input, std::size_t rows, std::size_t matrices,
                      ZeroPoints& zeros);

}  // namespace opledger
