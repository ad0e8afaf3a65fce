// What is compared: times and memory of ours with those of ONNX Runtime, or with our own float32.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/bench/bench.h"

namespace opledger {

// "float32", "float16", "bfloat16": of ONNX Runtime's time in float32; "float16/float32": of our
// own; "planning": of ONNX Runtime's session creation; "seen-shape": a run with the look for its
// plan, of one without; "new-shape": a plan of other shapes, of a cold one; "memory": of ONNX
// Runtime's.
inline constexpr std::array<std::string_view, 8> kRatios = {
    "float32",  "float16",    "bfloat16",  "float16/float32",
    "planning", "seen-shape", "new-shape", "memory"};

// None: one side was not measured.
std::optional<double> RatioOf(const MeasuredModel& model, std::string_view ratio);

// Geometric means: of the family's models; of all families. None: no model has it.
std::optional<double> RatioOf(const MeasuredFamily& family, std::string_view ratio);
std::optional<double> MeanRatio(const BenchReport& report, std::string_view ratio);

// The geometric mean of what is there and positive; none: nothing is.
std::optional<double> GeometricMean(const std::vector<std::optional<double>>& all);

// A bar, and what stands in its way.
struct BarResult {
  const Bar* bar = nullptr;
  bool counts = true;  // false: it is for other machines
  std::optional<double> mean;
  std::vector<std::pair<std::string, double>> above;  // families above `each`
  bool measured = false;                              // some family has the ratio

  bool missed() const;
};
std::vector<BarResult> JudgeBars(const BenchReport& report);

}  // namespace opledger
