// From labels to a plan, for an ONNX model: what a conversion and a run by the lists have in
// common.
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

inline constexpr std::uint64_t kCastBytes = 6;  // of a number: float32 and 16 bits

using CastCosts = std::vector<std::optional<std::uint64_t>>;

// Of each value: the bytes that a cast of it reads and writes, kCastBytes for each number; none:
// its shape does not follow. None, with an error: --input-shape is wrong.
std::optional<CastCosts> CastBytes(const OnnxModel& model, const ConvertOptions& options,
                                   Diagnostics& diagnostics);

// The shapes of all values, with those that --input-shape gives; none, with an error: these do not
// fit.
std::optional<Shapes> KnownShapes(const OnnxModel& model, const ConvertOptions& options,
                                  Diagnostics& diagnostics);

// How many numbers each value has, for the report.
std::vector<TensorSize> TensorSizes(const OnnxModel& model, const ConvertOptions& options);

// Whether the plan knew all costs it needed; else an error names a value.
bool CheckCosts(const OnnxModel& model, const Plan& plan, Diagnostics& diagnostics);
// Whether the numbers of all parameters that the plan converts are there; else an error names one.
bool CheckParameters(const OnnxModel& model, const Plan& plan, TensorData& data,
                     Diagnostics& diagnostics);

// Pins what the parameters' numbers and the options require, and places what is free. `labels` are
// LabelNodes', `inputs` those that the options give. False, with errors: the parameters cannot be
// read, or a cast has no known cost.
bool PlaceOnnx(const OnnxModel& model, const Settings& settings, const InputRanges& inputs,
               TensorData& data, std::vector<NodeLabel>& labels, CastCosts& costs, Plan& plan,
               Diagnostics& diagnostics);

// The same with the ranges of inputs that the settings give; what they say may be an error, too.
bool PlaceOnnx(const OnnxModel& model, const Settings& settings, TensorData& data,
               std::vector<NodeLabel>& labels, CastCosts& costs, Plan& plan,
               Diagnostics& diagnostics);

}  // namespace opledger
