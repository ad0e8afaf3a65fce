// Measures exactly what rounding to a 16-bit type does to the elements of a tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "conversion/label/label.h"
#include "conversion/model/mxnet/mxnet_params.h"
#include "conversion/model/onnx/tensor_data.h"
#include "registry/text/dtype.h"

namespace opledger {

struct RoundingStatistics {
  std::uint64_t numbers = 0;
  std::uint64_t overflowing = 0;  // finite elements that become infinite
  std::uint64_t flushed = 0;      // nonzero elements that become zero
  // Elements that would become zero but become the type's smallest number.
  std::uint64_t raised = 0;
  double largest_error = 0;  // largest relative error of the other elements

  // Adds `count` little-endian float32 elements. They need not be aligned. If `raises` is set,
  // elements that would become zero are raised to the type's smallest number.
  void Add(const char* numbers_in, std::size_t count, Dtype target, bool raises = false);
};

// Returns whether a parameter may be stored rounded although float32 nodes read it: no element
// becomes infinite, vanishes or keeps less than 8 bits. Small elements of `weights`, which only
// contractions read, may vanish since the contractions sum many of them.
bool RoundsWell(const RoundingStatistics& statistics, bool weights);
bool IsOfContractions(const Graph& graph, ValueId value);

// Measures the rounding of a parameter to `target`. Returns nullopt if its elements are not
// available. `raises`: as above.
std::optional<RoundingStatistics> ParameterRounding(const OnnxModel& model, ValueId value,
                                                    Dtype target, bool raises, TensorData& data);
std::optional<RoundingStatistics> ParameterRounding(const MxnetParams& params, const Graph& graph,
                                                    ValueId value, Dtype target, bool raises);

}  // namespace opledger
