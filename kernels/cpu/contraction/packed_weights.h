// Weights of 4 and 8 bits as a model stores them: which bits number (k, n) of a right factor has,
// and which scale and zero point.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kernels/kernel/kernel.h"

namespace opledger {

// Of a call of MatMulNBits: a, weights, scales, zero points (optional). Numbers are counted in
// elements of their tensor, from k and n or from a block of k's and n.
struct PackedWeights {
  // Of bytes that hold two, kUint4.
  Dtype dtype = Dtype::kUint8;
  std::size_t inner = 0;
  std::size_t columns = 0;
  std::size_t block = 0;  // numbers of a column that share a scale
  std::size_t inner_step = 1;
  std::size_t column_step = 0;
  std::size_t scale_step = 1;  // from block to block
  std::size_t scale_column_step = 0;
  std::size_t zero_step = 1;
  std::size_t zero_column_step = 0;
  Dtype scale_dtype = Dtype::kFloat32;
  // Of what zero points are: the type of the weights, or a float; none: all are `zero`.
  std::optional<Dtype> zero_dtype;
  float zero = 0;

  std::size_t Blocks() const { return (inner + block - 1) / block; }
  // What the bits stand for; the zero point of a block and column; and the scale.
  double WeightAt(const void* weights, std::size_t k, std::size_t n) const;
  double ZeroAt(const void* zeros, std::size_t of, std::size_t n) const;
  double ScaleAt(const void* scales, std::size_t of, std::size_t n) const;
  // What number (k, n) of the factor is; `inputs` are those of the call.
  double NumberAt(const std::vector<const void*>& inputs, std::size_t k, std::size_t n) const;
};

// Reads them from the parameters of a call. Fails if its tensors are not as large as these say.
StatusOr<PackedWeights> ReadPackedWeights(const Call& call);
// The same for kernels that keep a form of their own of the weights, scales and zero points. Fails
// if any of these is computed as the model runs.
StatusOr<PackedWeights> ReadKnownWeights(const Call& call);
// The inputs of the call that such kernels do not read as they run.
std::vector<std::size_t> WeightInputs(const Call& call);

}  // namespace opledger
