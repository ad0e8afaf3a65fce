// Computes the number of elements of each value, as a number or as a multiple of open dimensions,
// and the dimensions of each value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conversion/label/condition_facts.h"
#include "conversion/model/operators/shapes.h"

namespace opledger {

struct TensorSize {
  std::optional<std::uint64_t> numbers;  // nullopt: unknown
  std::vector<std::string> per;          // the open dimensions that multiply `numbers`; empty: none
};

// Returns the size of each value. `given`: as for InferShapes; if it contradicts the model, all
// sizes are unknown. Infers shapes with two sets of primes for the open dimensions: a size that is
// the same product both times is always that product.
std::vector<TensorSize> FindTensorSizes(const OnnxModel& model,
                                        const std::map<std::string, Shape>& given);

// Returns the dimensions of each value. A dimension is nullopt if it is unknown or depends on an
// open one. Values without inferred dimensions get those that the file declares.
std::vector<std::optional<KnownDimensions>> FindDimensions(
    const OnnxModel& model, const std::map<std::string, Shape>& given);

}  // namespace opledger
