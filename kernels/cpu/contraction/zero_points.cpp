// Reads the zero points of factors.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/contraction/zero_points.h"

namespace opledger {

bool FactorsAreBytes(const Call& call) {
  for (const std::size_t input : {std::size_t{0}, std::size_t{1}}) {
    const Dtype dtype = call.Input(input).dtype;
    if (dtype != Dtype::kInt8 && dtype != Dtype::kUint8) return false;
  }
  return true;
}

std::string ReadZeros(const Call& call, std::size_t input, std::size_t rows, std::size_t matrices,
                      ZeroPoints& zeros) {
  const std::size_t of = input - 2;
  zeros.is_signed = call.Input(of).dtype == Dtype::kInt8;
  zeros.is_there = call.Has(input);
  if (!zeros.is_there) return {};
  if (call.Input(input).dtype != call.Input(of).dtype) return "its zero point has another type";
  const std::size_t count = Elements(call.Shape(input));
  if (count == 1) return {};
  zeros.step = 1;
  if (count == rows) return {};
  zeros.matrix_step = rows;
  return count == rows * matrices ? "" : "its zero points fit neither rows nor matrices";
}

}  // namespace opledger
