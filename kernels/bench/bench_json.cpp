// Writes times in the format of schemas/bench.schema.json.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bench/ratios.h"
#include "registry/json/json_write.h"

namespace opledger {
namespace {

void WriteTiming(const Timing& timing, JsonWriter& json) {
  json.BeginObject();
  json.Field("what", timing.what);
  if (!timing.same_as_float32.empty()) {
    json.Field("same_as_float32", timing.same_as_float32);
  } else if (timing.problem.empty()) {
    json.Field("run_seconds", Median(timing.runs));
    json.Field("elapsed_seconds", Median(timing.elapsed));
    json.Field("plan_seconds", timing.plan);
    if (timing.memory) json.Field("memory_bytes", *timing.memory);
    json.CompactArray("rounds", timing.runs);
    if (!timing.on_cpu.empty()) json.Field("on_cpu", timing.on_cpu);
  } else {
    json.Field("problem", timing.problem);
  }
  if (!timing.steps.empty()) {
    json.BeginObject("kernels");
    for (const auto& [kernel, seconds] : SecondsByKernel(timing, NamedBy::kKernel)) {
      json.Field(kernel, seconds);
    }
    json.EndObject();
    json.Array("steps", timing.steps, [&](const Timing::TimedStep& each) {
      WriteRecordedStep(each.step, json, [&] { json.Field("seconds", each.seconds); });
    });
  }
  json.EndObject();
}

template <typename RatioIn>
void WriteRatios(const RatioIn& ratio_of, JsonWriter& json) {
  json.BeginCompactObject("ratios");
  for (const std::string_view ratio : kRatios) {
    if (const auto value = ratio_of(ratio)) json.Field(ratio, *value);
  }
  json.EndObject();
}

void WriteModel(const std::string& family, const MeasuredModel& model, JsonWriter& json) {
  json.BeginObject();
  json.Field("model", model.path);
  if (!family.empty()) json.Field("family", family);
  json.Array("timings", model.timings, [&](const Timing& timing) { WriteTiming(timing, json); });
  if (model.shapes) {
    json.BeginCompactObject("shapes");
    json.Field("seen_seconds", model.shapes->seen);
    if (model.shapes->fresh) json.Field("new_seconds", *model.shapes->fresh);
    if (model.shapes->cold) json.Field("cold_seconds", *model.shapes->cold);
    json.EndObject();
  }
  json.EndObject();
}

void WriteBar(const BarResult& result, JsonWriter& json) {
  const Bar& bar = *result.bar;
  json.BeginCompactObject();
  json.Field("ratio", bar.ratio);
  if (bar.mean) json.Field("mean", *bar.mean);
  if (bar.each) json.Field("each", *bar.each);
  if (!bar.where.empty()) json.Field("where", bar.where);
  json.Field("result", !result.counts     ? "other machines"
                       : !result.measured ? "not measured"
                       : result.missed()  ? "missed"
                                          : "met");
  if (result.mean) json.Field("measured_mean", *result.mean);
  json.BeginCompactArray("missed_by");
  for (const auto& above : result.above) json.String(above.first);
  json.EndArray();
  json.EndObject();
}

void WriteSuite(const BenchReport& report, JsonWriter& json) {
  json.Array("families", report.families, [&](const MeasuredFamily& family) {
    json.BeginObject();
    json.Field("family", family.name);
    WriteRatios([&](std::string_view ratio) { return RatioOf(family, ratio); }, json);
    json.EndObject();
  });
  json.BeginObject("means");
  WriteRatios([&](std::string_view ratio) { return MeanRatio(report, ratio); }, json);
  json.EndObject();
  json.Array("bars", JudgeBars(report), [&](const BarResult& result) { WriteBar(result, json); });
}

}  // namespace

std::string BenchJson(const BenchReport& report) {
  std::string text;
  JsonWriter json(text, 1);
  json.BeginObject();
  json.Field("schema", "opledger-bench/1");
  json.Field("machine", report.machine);
  json.Field("device", report.device);
  json.Field("libraries", report.libraries);
  if (!report.onnxruntime.empty()) json.Field("onnxruntime", report.onnxruntime);
  json.Field("threads", std::int64_t{report.threads});
  json.BeginArray("models");
  for (const MeasuredFamily& family : report.families) {
    for (const MeasuredModel& model : family.models) WriteModel(family.name, model, json);
  }
  json.EndArray();
  if (report.is_suite) WriteSuite(report, json);
  json.EndObject();
  return text + "\n";
}

}  // namespace opledger
