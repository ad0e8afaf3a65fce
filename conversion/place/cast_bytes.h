// What casts cost in bytes, for --cost bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "conversion/label/options.h"
#include "conversion/model/onnx/onnx.h"
#include "conversion/place/place.h"

namespace opledger {

inline constexpr std::uint64_t kCastBytes = 6;  // of a number: float32 and 16 bits

using CastCosts = std::vector<std::optional<std::uint64_t>>;

// Of each value: the bytes that a cast of it reads and writes, kCastBytes for each number; none:
// its shape does not follow. None, with an error: --input-shape is wrong.
std::optional<CastCosts> CastBytes(const OnnxModel& model, const ConvertOptions& options,
                                   Diagnostics& diagnostics);

// Whether the plan knew all costs it needed; else an error names a value.
bool CheckCosts(const OnnxModel& model, const Plan& plan, Diagnostics& diagnostics);

}  // namespace opledger
