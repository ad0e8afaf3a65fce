// Weights of 4 and 8 bits as a model stores them: where element (k, n) of a right factor is, and
// its scale and zero point.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kernels/kernel/kernel.h"

namespace opledger {

// The weights of a MatMulNBits call: a, weights, scales, zero points (optional). Steps count
// elements of their tensor: per k and per n, or per block of k and per n.
struct PackedWeights {
  // kUint4 if bytes hold two weights each.
  Dtype dtype = Dtype::kUint8;
  std::size_t inner = 0;
  std::size_t columns = 0;
  std::size_t block = 0;  // elements of a column that share a scale
  std::size_t inner_step = 1;
  std::size_t column_step = 0;
  std::size_t scale_step = 1;  // per block
  std::size_t scale_column_step = 0;
  std::size_t zero_step = 1;
  std::size_t zero_column_step = 0;
  Dtype scale_dtype = Dtype::kFloat32;
  // Type of the zero points: that of the weights, or a float. If there is none, all are `zero`.
  std::optional<Dtype> zero_dtype;
  float zero = 0;

  std::size_t Blocks() const { return (inner + block - 1) / block; }
  // The stored weight; the zero point and the scale of a block and column.
  double WeightAt(const void* weights, std::size_t k, std::size_t n) const;
  double ZeroAt(const void* zeros, std::size_t of, std::size_t n) const;
  double ScaleAt(const void* scales, std::size_t of, std::size_t n) const;
  // Returns the value of element (k, n) of the factor; `inputs` are those of the call.
  double NumberAt(const std::vector<const void*>& inputs, std::size_t k, std::size_t n) const;
};

// Reads the parameters of a call. Fails if its tensors are too small for them.
StatusOr<PackedWeights> ReadPackedWeights(const Call& call);
// The same for kernels that repack weights, scales and zero points. Fails if one of these is not
// constant.
StatusOr<PackedWeights> ReadKnownWeights(const Call& call);
// Returns the inputs that such kernels do not read at run time.
std::vector<std::size_t> WeightInputs(const Call& call);

}  // namespace opledger
