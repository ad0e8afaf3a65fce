// How many numbers each value has, as a number, or as one per dimensions that the file leaves open.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conversion/model/operators/shapes.h"

namespace opledger {

struct TensorSize {
  std::optional<std::uint64_t> numbers;  // none: it does not follow
  std::vector<std::string> per;          // numbers for each one of these; empty: in all
};

// Of each value; `given` as for InferShapes, where it fits. A size is found by giving two sets of
// primes to the open dimensions: what is one product of them both times is so always.
std::vector<TensorSize> FindTensorSizes(const OnnxModel& model,
                                        const std::map<std::string, Shape>& given);

}  // namespace opledger
