// Runs both analyses without the assumptions that hazards make, so that the ranges are proven.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/value_summary.h"

#include "registry/text/text.h"

namespace opledger {
namespace {

void WriteBound(const char* key, double bound, JsonWriter& json) {
  if (bound == kInfinite || bound == -kInfinite) {
    json.Field(key, bound > 0 ? "inf" : "-inf");
  } else {
    json.Field(key, bound);
  }
}

void WriteRange(const char* key, const Range& range, JsonWriter& json) {
  json.BeginCompactObject(key);
  WriteBound("low", range.low, json);
  WriteBound("high", range.high, json);
  json.Field("nan", range.nan);
  json.Field("zero", range.zero);
  WriteBound("gap", range.gap, json);
  json.Field("integer", range.integer);
  json.EndObject();
}

}  // namespace

std::vector<ValueSummary> SummariseValues(const KnownModel& model,
                                          const std::vector<NodeLabel>& labels, Dtype target,
                                          bool raises) {
  ValueAnalysis exact(model, {nullptr, target, false});
  ValueAnalysis converted(model, {&labels, target, false, raises ? &labels : nullptr});
  exact.Run();
  converted.Run();
  const std::vector<std::string> scopes = ScopeNames(model.graph);
  std::vector<ValueSummary> values;
  for (std::size_t id = 0; id < model.graph.values.size(); ++id) {
    const Value& value = model.graph.values[id];
    const bool numbers = value.type.kind == ValueType::Kind::kTensor && value.type.dtype &&
                         *value.type.dtype != Dtype::kString;
    if (!numbers || value.name.empty()) continue;
    const auto self = static_cast<ValueId>(id);
    const std::string scope =
        value.scope == kNone ? "" : scopes[static_cast<std::size_t>(value.scope)];
    // A constant, or the result of one of the model's own casts, may be created in the target type.
    const Range lowered = converted.Of(self).all;
    const bool cast = value.producer != kNone && model.graph.nodes[value.producer].op == "Cast";
    const bool made = !model.graph.IsFloat32(self) || !(cast || IsParameter(model.graph, value));
    const bool raised = raises && !cast && IsParameter(model.graph, value);
    const Range read = raised ? RaisedNumbers(lowered, target) : lowered;
    values.push_back({self, std::string(value.name), scope, exact.Of(self).all,
                      made ? lowered : Hull(lowered, Rounded(read, target))});
  }
  return values;
}

std::string ValueText(const ValueSummary& value) {
  const std::string float32 = RangeText(value.float32);
  const std::string converted = RangeText(value.converted);
  return converted == float32 ? float32 : float32 + ", converted " + converted;
}

std::string RenderValues(const std::vector<ValueSummary>& values) {
  std::string text = "values\n";
  for (const ValueSummary& value : values) {
    text += "  " + (value.scope.empty() ? "" : Printable(value.scope) + "/") +
            Printable(value.name) + "  " + ValueText(value) + '\n';
  }
  return text;
}

void WriteValues(const std::vector<ValueSummary>& values, JsonWriter& json) {
  json.BeginArray("values");
  for (const ValueSummary& value : values) {
    json.BeginObject();
    json.Field("name", value.name);
    json.Field("scope", value.scope);
    WriteRange("float32", value.float32, json);
    WriteRange("converted", value.converted, json);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace opledger
