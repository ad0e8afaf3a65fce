// Times of models as a table, and as schemas/bench.schema.json has them.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bench.h"
#include "kernels/table_text.h"
#include "registry/json_write.h"

namespace opledger {
namespace {

std::string ModelText(const BenchReport::Model& model) {
  double whole = 0;
  for (const Timing& timing : model.timings) {
    if (timing.what == "float32") whole = timing.run;
  }
  std::vector<std::vector<std::string>> rows = {{"", "ms a run", "of float32", "ms to plan"}};
  for (const Timing& timing : model.timings) {
    if (!timing.problem.empty()) {
      rows.push_back({timing.what, timing.problem});
      continue;
    }
    rows.push_back({timing.what, ShortNumber(timing.run * 1e3), ShortNumber(timing.run / whole),
                    ShortNumber(timing.plan * 1e3)});
    for (const auto& [kernel, seconds] : timing.kernels) {
      rows.push_back(
          {"  " + kernel, ShortNumber(seconds * 1e3), ShortNumber(seconds / timing.run)});
    }
  }
  return model.path + ":\n" + TableText(rows);
}

void WriteNumber(const char* key, double value, JsonWriter& json) {
  json.Key(key);
  json.Number(value);
}

void WriteTiming(const Timing& timing, JsonWriter& json) {
  json.BeginObject();
  json.Field("what", timing.what);
  if (timing.problem.empty()) {
    WriteNumber("run_seconds", timing.run, json);
    WriteNumber("plan_seconds", timing.plan, json);
  } else {
    json.Field("problem", timing.problem);
  }
  if (!timing.kernels.empty()) {
    json.Key("kernels");
    json.BeginObject();
    for (const auto& [kernel, seconds] : timing.kernels) {
      WriteNumber(kernel.c_str(), seconds, json);
    }
    json.EndObject();
  }
  json.EndObject();
}

}  // namespace

std::string BenchText(const BenchReport& report) {
  std::string text = "CPU time, " + std::to_string(report.threads) +
                     (report.threads == 1 ? " thread, " : " threads, ") + report.machine + "\n";
  for (const BenchReport::Model& model : report.models) text += ModelText(model);
  return text;
}

std::string BenchJson(const BenchReport& report) {
  std::string text;
  JsonWriter json(text, 1);
  json.BeginObject();
  json.Field("schema", "opledger-bench/1");
  json.Field("machine", report.machine);
  json.Field("threads", std::int64_t{report.threads});
  json.Key("models");
  json.BeginArray();
  for (const BenchReport::Model& model : report.models) {
    json.BeginObject();
    json.Field("model", model.path);
    json.Key("timings");
    json.BeginArray();
    for (const Timing& timing : model.timings) WriteTiming(timing, json);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return text + "\n";
}

}  // namespace opledger
