// Times of models as a table, and as schemas/bench.schema.json has them.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/commands/commands.h"
#include "kernels/compare/table_text.h"
#include "registry/json/json_write.h"
#include "registry/text/diagnostics.h"

namespace opledger {
namespace {

// What counts: CPU time of one thread, which others do not lengthen; else the clock.
double SecondsOf(const BenchReport& report, const Timing& timing) {
  return report.device == "cpu" && report.threads == 1 ? timing.run : timing.elapsed;
}

std::string ModelText(const BenchReport& report, const BenchReport::Model& model) {
  double whole = 0;
  for (const Timing& timing : model.timings) {
    if (timing.what == "float32") whole = SecondsOf(report, timing);
  }
  std::vector<std::vector<std::string>> rows = {
      {"", "CPU ms a run", "by the clock", "of float32", "ms to plan"}};
  for (const Timing& timing : model.timings) {
    if (!timing.same_as_float32.empty()) continue;
    if (!timing.problem.empty()) {
      rows.push_back({timing.what, Printable(timing.problem)});
      continue;
    }
    rows.push_back({timing.what, ShortNumber(timing.run * 1e3), ShortNumber(timing.elapsed * 1e3),
                    ShortNumber(SecondsOf(report, timing) / whole),
                    ShortNumber(timing.plan * 1e3)});
    for (const auto& [kernel, seconds] : timing.kernels) {
      const std::string time = ShortNumber(seconds * 1e3);
      const bool by_clock = report.device != "cpu";
      rows.push_back({"  " + kernel, by_clock ? "" : time, by_clock ? time : "",
                      ShortNumber(seconds / (by_clock ? timing.elapsed : timing.run))});
    }
  }
  std::string text = Printable(model.path) + ":\n" + TableText(rows);
  for (const Timing& timing : model.timings) {
    if (!timing.on_cpu.empty()) text += timing.what + ": " + timing.on_cpu + "\n";
    if (!timing.same_as_float32.empty()) {
      text += timing.what + ": it is float32: " + Printable(timing.same_as_float32) + "\n";
    }
  }
  return text;
}

void WriteTiming(const Timing& timing, JsonWriter& json) {
  json.BeginObject();
  json.Field("what", timing.what);
  if (!timing.same_as_float32.empty()) {
    json.Field("same_as_float32", timing.same_as_float32);
  } else if (timing.problem.empty()) {
    json.Field("run_seconds", timing.run);
    json.Field("elapsed_seconds", timing.elapsed);
    json.Field("plan_seconds", timing.plan);
    if (!timing.on_cpu.empty()) json.Field("on_cpu", timing.on_cpu);
  } else {
    json.Field("problem", timing.problem);
  }
  if (!timing.kernels.empty()) {
    json.BeginObject("kernels");
    for (const auto& [kernel, seconds] : timing.kernels) {
      json.Field(kernel.c_str(), seconds);
    }
    json.EndObject();
  }
  json.EndObject();
}

}  // namespace

std::string BenchText(const BenchReport& report) {
  std::string text = std::to_string(report.threads) +
                     (report.threads == 1 ? " thread, " : " threads, ") + report.machine + ", " +
                     report.libraries + "\n";
  if (report.device != "cpu") text = report.device + "; the CPU: " + text;
  for (const BenchReport::Model& model : report.models) text += ModelText(report, model);
  return text;
}

std::string BenchJson(const BenchReport& report) {
  std::string text;
  JsonWriter json(text, 1);
  json.BeginObject();
  json.Field("schema", "opledger-bench/1");
  json.Field("machine", report.machine);
  json.Field("device", report.device);
  json.Field("libraries", report.libraries);
  json.Field("threads", std::int64_t{report.threads});
  json.BeginArray("models");
  for (const BenchReport::Model& model : report.models) {
    json.BeginObject();
    json.Field("model", model.path);
    json.Array("timings", model.timings, [&](const Timing& timing) { WriteTiming(timing, json); });
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return text + "\n";
}

}  // namespace opledger
