// Dense tensors in memory: row-major, the last dimension varies fastest. Also their files (.npy),
// parts, errors and summaries.
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

using Dimensions = std::vector<std::int64_t>;  // none negative

struct TensorType {
  Dtype dtype = Dtype::kFloat32;
  Dimensions dimensions;  // none: a scalar

  std::size_t Rank() const { return dimensions.size(); }
  bool operator==(const TensorType&) const = default;
};

// Why no kernel takes elements of a type, and what to do: "4-bit integers are not computed: ...".
// Empty: kernels take them.
std::string NotComputed(Dtype dtype);
// Whether its elements are floating-point numbers that kernels compute with.
bool IsFloat(Dtype dtype);
// How many numbers there are: the product of the dimensions, which CheckSize has found to fit.
std::size_t Elements(const Dimensions& dimensions);
// Bytes of one element; 0: of a type that is no number of whole bytes (strings, int4).
std::size_t ElementSize(Dtype dtype);
// Bytes of the whole tensor; of 4-bit integers there are two in a byte.
std::size_t Bytes(const TensorType& type);
// Whether no dimension is negative and the tensor fits in the memory that is left.
bool CheckSize(const TensorType& type);
// Why it does not, "4.0 TiB, more than ..."; only where CheckSize says so.
std::string SizeProblem(const TensorType& type);
// Of what a node would give: "its output would be float32[...]: 4.0 TiB, more than ...".
std::string OutputProblem(const TensorType& type);
// Elements from one index of each dimension to the next.
Dimensions Strides(const Dimensions& dimensions);
// "float32[2,3]".
std::string Text(const TensorType& type);

}  // namespace opledger
