// Medians of the rounds' ratios: whatever slows a round slows both sides.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bench/ratios.h"

#include <algorithm>
#include <cmath>

namespace opledger {
namespace {

std::optional<double> TimeRatio(const Timing* timing, const Timing* of) {
  if (timing == nullptr || of == nullptr) return std::nullopt;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(timing->runs.size(), of->runs.size()); ++i) {
    if (of->runs[i] > 0) ratios.push_back(timing->runs[i] / of->runs[i]);
  }
  if (ratios.empty()) return std::nullopt;
  return Median(std::move(ratios));
}

std::optional<double> ShapeRatio(const MeasuredModel& model, const Timing* float32,
                                 std::string_view ratio) {
  if (!model.shapes || float32 == nullptr) return std::nullopt;
  const ShapeCosts& costs = *model.shapes;
  if (ratio == "seen-shape") return 1 + costs.seen / Median(float32->runs);
  if (!costs.fresh || !costs.cold || *costs.cold <= 0) return std::nullopt;
  return *costs.fresh / *costs.cold;
}

// Returns whether a ratio exceeds `each`, and its cost is not too small to count.
bool IsAbove(const MeasuredFamily& family, const Bar& bar, double ratio) {
  if (ratio <= bar.each.value_or(HUGE_VAL)) return false;
  if (bar.or_seconds <= 0 || bar.ratio != "seen-shape") return true;
  return std::any_of(family.models.begin(), family.models.end(), [&](const MeasuredModel& model) {
    return model.shapes && model.shapes->seen > bar.or_seconds;
  });
}

}  // namespace

double Median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

const Timing* MeasuredModel::Find(const std::string& what) const {
  for (const Timing& timing : timings) {
    if (timing.what == what) return timing.ran() ? &timing : nullptr;
  }
  return nullptr;
}

std::optional<double> RatioOf(const MeasuredModel& model, std::string_view ratio) {
  const Timing* const theirs = model.Find("ONNX Runtime");
  const Timing* const float32 = model.Find("float32");
  if (ratio == "float32") return TimeRatio(float32, theirs);
  if (ratio == "float16" || ratio == "bfloat16") {
    return TimeRatio(model.Find(std::string(ratio) + " by list"), theirs);
  }
  if (ratio == "float16/float32") return TimeRatio(model.Find("float16 by list"), float32);
  if (ratio == "seen-shape" || ratio == "new-shape") return ShapeRatio(model, float32, ratio);
  if (theirs == nullptr || float32 == nullptr) return std::nullopt;
  if (ratio == "planning") {
    return theirs->plan > 0 ? std::optional(float32->plan / theirs->plan) : std::nullopt;
  }
  if (!float32->memory || !theirs->memory || *theirs->memory <= 0) return std::nullopt;
  return *float32->memory / *theirs->memory;
}

std::optional<double> GeometricMean(const std::vector<std::optional<double>>& all) {
  double sum = 0;
  int count = 0;
  for (const auto& each : all) {
    if (!each || !(*each > 0)) continue;
    sum += std::log(*each);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return std::exp(sum / count);
}

std::optional<double> RatioOf(const MeasuredFamily& family, std::string_view ratio) {
  std::vector<std::optional<double>> all;
  for (const MeasuredModel& model : family.models) all.push_back(RatioOf(model, ratio));
  return GeometricMean(all);
}

std::optional<double> MeanRatio(const BenchReport& report, std::string_view ratio) {
  std::vector<std::optional<double>> all;
  for (const MeasuredFamily& family : report.families) all.push_back(RatioOf(family, ratio));
  return GeometricMean(all);
}

bool BarResult::missed() const {
  return counts && (!above.empty() || (bar->mean && mean && *mean > *bar->mean));
}

std::vector<BarResult> JudgeBars(const BenchReport& report) {
  const std::string machine = report.machine + ", " + report.libraries;
  std::vector<BarResult> results;
  for (const Bar& bar : report.bars) {
    BarResult result;
    result.bar = &bar;
    result.counts = machine.find(bar.where) != std::string::npos;
    std::vector<std::optional<double>> ratios;
    for (const MeasuredFamily& family : report.families) {
      const auto& names = bar.families;
      if (!names.empty() && std::find(names.begin(), names.end(), family.name) == names.end()) {
        continue;
      }
      ratios.push_back(RatioOf(family, bar.ratio));
      if (!ratios.back()) continue;
      result.measured = true;
      if (IsAbove(family, bar, *ratios.back())) {
        result.above.emplace_back(family.name, *ratios.back());
      }
    }
    result.mean = GeometricMean(ratios);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace opledger
