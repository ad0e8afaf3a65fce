// Ratios of our times and memory to those of ONNX Runtime, or to our own float32.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/bench/bench.h"

namespace opledger {

// "float32", "float16", "bfloat16": time, relative to ONNX Runtime's in float32; "float16/float32":
// relative to our own; "planning": relative to ONNX Runtime's session creation; "seen-shape": a run
// including the lookup of its plan, relative to one without; "new-shape": planning other shapes,
// relative to a cold plan; "memory": relative to ONNX Runtime's.
inline constexpr std::array<std::string_view, 8> kRatios = {
    "float32",  "float16",    "bfloat16",  "float16/float32",
    "planning", "seen-shape", "new-shape", "memory"};

// Returns nullopt if a side was not measured.
std::optional<double> RatioOf(const MeasuredModel& model, std::string_view ratio);

// Geometric means over the family's models, and over all families. Returns nullopt if no model has
// the ratio.
std::optional<double> RatioOf(const MeasuredFamily& family, std::string_view ratio);
std::optional<double> MeanRatio(const BenchReport& report, std::string_view ratio);

// Returns the geometric mean of the positive values, or nullopt if there are none.
std::optional<double> GeometricMean(const std::vector<std::optional<double>>& all);

// The verdict on a bar.
struct BarResult {
  const Bar* bar = nullptr;
  bool counts = true;  // false: it is for other machines
  std::optional<double> mean;
  std::vector<std::pair<std::string, double>> above;  // families whose ratio exceeds `each`
  bool measured = false;                              // whether any family has the ratio

  bool missed() const;
};
std::vector<BarResult> JudgeBars(const BenchReport& report);

}  // namespace opledger
