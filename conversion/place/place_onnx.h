// Turns labels of an ONNX model into a plan, for conversion and for runs by the lists.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "conversion/label/options.h"
#include "conversion/label/settings.h"
#include "conversion/model/onnx/onnx.h"
#include "conversion/model/onnx/tensor_data.h"
#include "conversion/place/place.h"
#include "conversion/place/tensor_sizes.h"
#include "conversion/values/input_ranges.h"

namespace opledger {

inline constexpr std::uint64_t kCastBytes = 6;  // per element: float32 and 16 bits

using CastCosts = std::vector<std::optional<std::uint64_t>>;

// Returns for each value the bytes that a cast of it reads and writes, kCastBytes per element, or
// nullopt if its shape is unknown. Returns nullopt, with an error, if --input-shape is wrong.
std::optional<CastCosts> CastBytes(const OnnxModel& model, const ConvertOptions& options,
                                   Diagnostics& diagnostics);

// Returns the shapes of all values, given those of --input-shape. Returns nullopt, with an error,
// if these do not fit.
std::optional<Shapes> KnownShapes(const OnnxModel& model, const ConvertOptions& options,
                                  Diagnostics& diagnostics);

// Returns the number of elements of each value, for the report.
std::vector<TensorSize> TensorSizes(const OnnxModel& model, const ConvertOptions& options);

// Checks that the plan knew all costs that it needed. If not, reports an error that names a value.
bool CheckCosts(const OnnxModel& model, const Plan& plan, Diagnostics& diagnostics);
// Checks that all parameters to convert can be read. If not, reports an error that names one.
bool CheckParameters(const OnnxModel& model, const Plan& plan, TensorData& data,
                     Diagnostics& diagnostics);

// Pins nodes by the elements of parameters and by options, then places the free ones. `labels` come
// from LabelNodes; `inputs` are the ranges from options. Returns false, with errors, if parameters
// cannot be read or the cost of a cast is unknown.
bool PlaceOnnx(const OnnxModel& model, const Settings& settings, const InputRanges& inputs,
               TensorData& data, std::vector<NodeLabel>& labels, CastCosts& costs, Plan& plan,
               Diagnostics& diagnostics);

// Like PlaceOnnx above, with input ranges from the settings. Also fails if these do not match the
// model.
bool PlaceOnnx(const OnnxModel& model, const Settings& settings, TensorData& data,
               std::vector<NodeLabel>& labels, CastCosts& costs, Plan& plan,
               Diagnostics& diagnostics);

}  // namespace opledger
