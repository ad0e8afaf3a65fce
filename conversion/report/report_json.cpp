// One record of each node, cast and parameter, in the order of the model.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/report_json.h"

#include "registry/json/json_write.h"

namespace opledger {
namespace {

void WriteStrings(const char* key, const std::vector<std::string>& strings, JsonWriter& json) {
  json.Key(key);
  json.Strings(strings);
}

void WriteIndices(const char* key, const std::vector<int>& indices, JsonWriter& json) {
  json.Key(key);
  json.CompactNext();
  json.BeginArray();
  for (const int each : indices) json.Integer(each);
  json.EndArray();
}

void WriteRule(const NodeReport& node, JsonWriter& json) {
  json.Key("rule");
  json.CompactNext();
  json.BeginObject();
  json.Field("kind", node.rule);
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
  WriteStrings("alternatives", node.alternatives, json);
  WriteIndices("casts_wanted", node.casts_wanted, json);
  WriteIndices("casts_of_outputs", node.casts_of_outputs, json);
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
  WriteIndices("consumers", {cast.consumers.begin(), cast.consumers.end()}, json);
  WriteStrings("outputs", cast.outputs, json);
  json.Key("bytes");
  if (cast.bytes) {
    json.Integer(static_cast<std::int64_t>(*cast.bytes));
  } else {
    json.Null();
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
  json.Field("bytes_before", static_cast<std::int64_t>(parameter.bytes_before));
  json.Field("bytes_after", static_cast<std::int64_t>(parameter.bytes_after));
  json.Key("rounding");
  if (parameter.statistics) {
    const RoundingStatistics& statistics = *parameter.statistics;
    json.CompactNext();
    json.BeginObject();
    json.Field("numbers", static_cast<std::int64_t>(statistics.numbers));
    json.Field("overflowing", static_cast<std::int64_t>(statistics.overflowing));
    json.Field("flushed", static_cast<std::int64_t>(statistics.flushed));
    json.Key("largest_relative_error");
    json.Number(statistics.largest_error);
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
    unknown += cast.bytes ? 0 : 1;
    bytes += cast.bytes.value_or(0);
  }
  const auto count = [&](const char* key, std::uint64_t value) {
    json.Field(key, static_cast<std::int64_t>(value));
  };
  json.Key("totals");
  json.BeginObject();
  count("nodes", report.nodes.size());
  count("low", report.Count(Precision::kLow));
  count("float32", report.Count(Precision::kFloat32));
  count("as_wanted", report.Count(Precision::kAsWanted));
  count("unchanged", report.Count(Precision::kUnchanged));
  count("casts", report.casts.size());
  count("casts_down", down);
  count("casts_up", report.casts.size() - down);
  count("cast_bytes", bytes);
  count("casts_of_unknown_size", unknown);
  count("parameter_bytes_before", report.parameter_bytes_before);
  count("parameter_bytes_after", report.parameter_bytes_after);
  const Preparation& done = report.preparation;
  if (done.inlined_calls) count("inlined_calls", *done.inlined_calls);
  if (done.merged_nodes) {
    count("merged_nodes", *done.merged_nodes);
    count("removed_casts", done.removed_casts);
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
  json.Key("nodes");
  json.BeginArray();
  for (const NodeReport& node : report.nodes) WriteNode(report, node, json);
  json.EndArray();
  json.Key("casts");
  json.BeginArray();
  for (const CastReport& cast : report.casts) WriteCast(report, cast, json);
  json.EndArray();
  json.Key("parameters");
  json.BeginArray();
  for (const ParameterReport& parameter : report.parameters) {
    WriteParameter(report, parameter, json);
  }
  json.EndArray();
  json.EndObject();
  return text + '\n';
}

}  // namespace opledger
