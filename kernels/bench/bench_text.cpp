// Prints times of models as a table.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bench/bench.h"
#include "kernels/compare/table_text.h"
#include "kernels/plan/step_text.h"
#include "registry/text/diagnostics.h"
#include "registry/text/short_number.h"

namespace opledger {
namespace {

// Returns the time to compare: with one thread on the CPU its CPU time, which other load does not
// lengthen; otherwise elapsed time.
double SecondsOf(const BenchReport& report, const Timing& timing) {
  return Median(report.device == "cpu" && report.threads == 1 ? timing.runs : timing.elapsed);
}

std::string ModelText(const BenchReport& report, const MeasuredModel& model) {
  const double whole = SecondsOf(report, *model.Find("float32"));
  std::vector<std::vector<std::string>> rows = {
      {"", "CPU ms a run", "by the clock", "of float32", "ms to plan"}};
  for (const Timing& timing : model.timings) {
    if (!timing.same_as_float32.empty()) continue;
    if (!timing.problem.empty()) {
      rows.push_back({timing.what, Printable(timing.problem)});
      continue;
    }
    const double run = Median(timing.runs);
    const double elapsed = Median(timing.elapsed);
    rows.push_back({timing.what, ShortNumber(run * 1e3), ShortNumber(elapsed * 1e3),
                    ShortNumber(SecondsOf(report, timing) / whole),
                    ShortNumber(timing.plan * 1e3)});
    for (const auto& [kernel, seconds] : SecondsByKernel(timing, NamedBy::kImplementation)) {
      const std::string time = ShortNumber(seconds * 1e3);
      const bool by_clock = report.device != "cpu";
      rows.push_back({"  " + kernel, by_clock ? "" : time, by_clock ? time : "",
                      ShortNumber(seconds / (by_clock ? elapsed : run))});
    }
  }
  std::string text = Printable(model.path) + ":\n" + TableText(rows);
  for (const Timing& timing : model.timings) {
    std::vector<RecordedStep> steps;
    for (const Timing::TimedStep& each : timing.steps) steps.push_back(each.step);
    if (const std::string why = RefusalsText(steps); !why.empty()) {
      text += timing.what + ", by its kernels:\n" + why;
    }
    if (!timing.on_cpu.empty()) text += timing.what + ": " + timing.on_cpu + "\n";
    if (!timing.same_as_float32.empty()) {
      text += timing.what + ": it is float32: " + Printable(timing.same_as_float32) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string MachineText(const BenchReport& report) {
  std::string text = std::to_string(report.threads) +
                     (report.threads == 1 ? " thread, " : " threads, ") + report.machine + ", " +
                     report.libraries;
  if (report.device != "cpu") text = report.device + "; the CPU: " + text;
  if (!report.onnxruntime.empty()) {
    text += ", ONNX Runtime " + Printable(report.onnxruntime) + " by its I/O binding";
  }
  return text + "\n";
}

std::string BenchText(const BenchReport& report) {
  std::string text = MachineText(report);
  for (const MeasuredFamily& family : report.families) {
    for (const MeasuredModel& model : family.models) text += ModelText(report, model);
  }
  return text;
}

}  // namespace opledger
