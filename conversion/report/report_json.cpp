// Writes one record per node, cast and parameter, in the order of the model.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/report_json.h"

#include "registry/json/json_write.h"

namespace opledger {
namespace {

void WriteRule(const NodeReport& node, JsonWriter& json) {
  json.BeginCompactObject("rule");
  json.Field("kind", RuleName(node.rule));
  if (!node.place.path.empty()) {
    json.Field("path", node.place.path);
    json.Field("line", node.place.line);
    json.Field("column", node.place.column);
  }
  json.Field("reason", node.reason);
  if (!node.entry_reason.empty()) json.Field("note", node.entry_reason);
  json.EndObject();
}

void WriteNode(const ConversionReport& report, const NodeReport& node, JsonWriter& json) {
  json.BeginObject();
  json.Field("name", node.name);
  json.Field("operator", node.op);
  json.Field("scope", node.scope);
  json.Field("label", LabelName(node.label));
  json.Field("precision", report.PrecisionText(node.precision));
  WriteRule(node, json);
  if (!node.placement.empty()) {
    json.Field("placement", node.placement);
    json.Field("extra_casts", node.extra_casts);
  }
  json.Array("alternatives", node.alternatives);
  json.CompactArray("casts_wanted", node.casts_wanted);
  json.CompactArray("casts_of_outputs", node.casts_of_outputs);
  json.EndObject();
}

void WriteCast(const ConversionReport& report, const CastReport& cast, JsonWriter& json) {
  json.BeginObject();
  json.Field("tensor", cast.tensor);
  json.Field("scope", cast.scope);
  json.Field("from", cast.down ? "float32" : DtypeName(report.target));
  json.Field("to", cast.down ? DtypeName(report.target) : "float32");
  json.Key("producer");
  if (cast.producer == kNone) {
    json.Null();
  } else {
    json.Integer(cast.producer);
  }
  json.CompactArray("consumers", cast.consumers);
  json.Array("outputs", cast.outputs);
  json.Field("bytes", cast.bytes_per.empty() ? cast.bytes : std::nullopt);
  if (!cast.bytes_per.empty()) {
    json.Key("bytes_per");
    json.BeginCompactObject();
    json.Field("bytes", cast.bytes);
    json.Array("dimensions", cast.bytes_per);
    json.EndObject();
  }
  json.Field("reason", cast.reason);
  json.EndObject();
}

void WriteParameter(const ConversionReport& report, const ParameterReport& parameter,
                    JsonWriter& json) {
  json.BeginObject();
  json.Field("tensor", parameter.tensor);
  json.Field("scope", parameter.scope);
  json.Field("from", "float32");
  json.Field("to", DtypeName(report.target));
  json.Field("copies", parameter.both ? 2 : 1);
  json.Field("bytes_before", parameter.bytes_before);
  json.Field("bytes_after", parameter.bytes_after);
  json.Key("rounding");
  if (parameter.statistics) {
    const RoundingStatistics& statistics = *parameter.statistics;
    json.BeginCompactObject();
    json.Field("numbers", statistics.numbers);
    json.Field("overflowing", statistics.overflowing);
    json.Field("flushed", statistics.flushed);
    if (report.raises_small) json.Field("raised", statistics.raised);
    json.Field("largest_relative_error", statistics.largest_error);
    json.EndObject();
  } else {
    json.Null();
  }
  json.EndObject();
}

void WriteTotals(const ConversionReport& report, JsonWriter& json) {
  std::size_t down = 0;
  std::size_t unknown = 0;
  std::uint64_t bytes = 0;
  for (const CastReport& cast : report.casts) {
    down += cast.down ? 1 : 0;
    const bool known = cast.bytes && cast.bytes_per.empty();
    unknown += known ? 0 : 1;
    bytes += known ? *cast.bytes : 0;
  }
  json.BeginObject("totals");
  json.Field("nodes", report.nodes.size());
  json.Field("low", report.Count(Precision::kLow));
  json.Field("float32", report.Count(Precision::kFloat32));
  json.Field("as_wanted", report.Count(Precision::kAsWanted));
  json.Field("unchanged", report.Count(Precision::kUnchanged));
  json.Field("casts", report.casts.size());
  json.Field("casts_down", down);
  json.Field("casts_up", report.casts.size() - down);
  json.Field("cast_bytes", bytes);
  json.Field("casts_of_unknown_size", unknown);
  json.Field("parameter_bytes_before", report.parameter_bytes_before);
  json.Field("parameter_bytes_after", report.parameter_bytes_after);
  const Preparation& done = report.preparation;
  if (done.inlined_calls) json.Field("inlined_calls", *done.inlined_calls);
  if (done.merged_nodes) {
    json.Field("merged_nodes", *done.merged_nodes);
    json.Field("removed_casts", done.removed_casts);
  }
  if (done.fused_chains) json.Field("fused_chains", *done.fused_chains);
  if (done.opset) {
    json.Field("opset_before", done.opset_before);
    json.Field("opset", *done.opset);
  }
  json.EndObject();
}

}  // namespace

std::string RenderReportJson(const ConversionReport& report) {
  std::string text;
  JsonWriter json(text, 2);
  json.BeginObject();
  json.Field("schema", "opledger-conversion/1");
  json.Field("model", report.model);
  json.Field("format", report.format);
  json.Field("target_dtype", DtypeName(report.target));
  json.Field("list", report.list);
  WriteTotals(report, json);
  json.Array("nodes", report.nodes, [&](const NodeReport& node) { WriteNode(report, node, json); });
  json.Array("casts", report.casts, [&](const CastReport& cast) { WriteCast(report, cast, json); });
  json.Array("parameters", report.parameters,
             [&](const ParameterReport& parameter) { WriteParameter(report, parameter, json); });
  json.EndObject();
  return text + '\n';
}

}  // namespace opledger
