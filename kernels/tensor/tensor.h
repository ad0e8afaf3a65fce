// Dense tensors in memory, row-major (the last dimension varies fastest). Also their files (.npy),
// slices, errors and summaries.
// May include: conversion/model/files, conversion/model/half, kernels/machine, registry/files,
// registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "registry/text/dtype.h"

namespace opledger {

using Dimensions = std::vector<std::int64_t>;  // not negative

struct TensorType {
  Dtype dtype = Dtype::kFloat32;
  Dimensions dimensions;  // empty: a scalar

  std::size_t Rank() const { return dimensions.size(); }
  bool operator==(const TensorType&) const = default;
};

// Why no kernel takes elements of a type, and the remedy: "4-bit integers are not computed: ...".
// Empty if kernels take them.
std::string NotComputed(Dtype dtype);
// Returns whether the elements are floats that kernels compute with.
bool IsFloat(Dtype dtype);
// Returns the number of elements. The product must not overflow; see CheckSize.
std::size_t Elements(const Dimensions& dimensions);
// Bytes of one element; 0 if that is not a whole number (int4) or not fixed (strings).
std::size_t ElementSize(Dtype dtype);
// Bytes of the whole tensor; 4-bit integers take half a byte each.
std::size_t Bytes(const TensorType& type);
// Returns whether no dimension is negative and the tensor fits in the memory that is left.
bool CheckSize(const TensorType& type);
// Why CheckSize returned false: "4.0 TiB, more than ...".
std::string SizeProblem(const TensorType& type);
// The same for the output of a node: "its output would be float32[...]: 4.0 TiB, more than ...".
std::string OutputProblem(const TensorType& type);
// Returns the number of elements from one index to the next in each dimension.
Dimensions Strides(const Dimensions& dimensions);
// Returns the type as text: "float32[2,3]".
std::string Text(const TensorType& type);

}  // namespace opledger
