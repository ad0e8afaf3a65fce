// What rounding to a 16-bit type does to the numbers of a tensor, exactly.
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
  std::uint64_t overflowing = 0;  // finite ones that become infinite
  std::uint64_t flushed = 0;      // ones that become zero and were not
  std::uint64_t raised = 0;       // ones that would, and become the type's smallest number instead
  double largest_error = 0;       // relative, of those that do neither

  // Counts `count` little-endian float32 numbers more; no alignment is needed. `raises`: what
  // would become zero is raised.
  void Add(const char* numbers_in, std::size_t count, Dtype target, bool raises = false);
};

// Whether a parameter may be stored rounded though it is computed with in float32: nothing of it
// becomes infinite, and nothing vanishes or keeps less than 8 bits. Of weights that only
// contractions read, which sum many of them, small numbers may.
bool RoundsWell(const RoundingStatistics& statistics, bool weights);
bool IsOfContractions(const Graph& graph, ValueId value);

// What rounding to `target` does to a parameter's numbers; none: they are not at hand. `raises`: as
// above.
std::optional<RoundingStatistics> ParameterRounding(const OnnxModel& model, ValueId value,
                                                    Dtype target, bool raises, TensorData& data);
std::optional<RoundingStatistics> ParameterRounding(const MxnetParams& params, const Graph& graph,
                                                    ValueId value, Dtype target, bool raises);

}  // namespace opledger
