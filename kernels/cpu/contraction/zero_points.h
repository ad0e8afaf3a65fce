// Zero points of factors of 8-bit integers: one for all, or one for each row or column.
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
  std::size_t step = 0;         // per row
  std::size_t matrix_step = 0;  // per matrix

  std::int32_t At(const void* zeros, std::size_t matrix, std::size_t row) const {
    return is_there ? ByteAt(zeros, is_signed, matrix * matrix_step + row * step) : 0;
  }
};

// Returns whether inputs 0 and 1 are 8-bit integers.
bool FactorsAreBytes(const Call& call);

// Reads the zero points at `input` for the factor at `input` - 2, which has `matrices` matrices of
// `rows` rows. Returns an empty string, or why they do not fit.
std::string ReadZeros(const Call& call, std::size_t input, std::size_t rows, std::size_t matrices,
                      ZeroPoints& zeros);

}  // namespace opledger
