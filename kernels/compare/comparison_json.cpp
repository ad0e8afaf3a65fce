// A comparison as schemas/comparison.schema.json has it.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/compare/compare.h"
#include "kernels/machine/instruction_set.h"
#include "kernels/machine/library.h"
#include "registry/json/json_write.h"

namespace opledger {
namespace {

void WriteCount(const char* key, std::size_t count, JsonWriter& json) {
  json.Field(key, static_cast<std::int64_t>(count));
}

void WriteError(const char* key, const TensorError& error, JsonWriter& json) {
  json.Key(key);
  json.BeginObject();
  json.Field("dtype", DtypeName(error.dtype));
  WriteCount("numbers", error.numbers, json);
  const auto number = [&](const char* name, double value) {
    json.Key(name);
    json.Number(value);
  };
  if (IsFloat(error.dtype)) {
    number("ulp", error.ulp);
    number("absolute", error.absolute);
    number("relative", error.relative);
    number("relative_l2", error.relative_l2);
    WriteCount("not_finite", error.not_finite, json);
  } else {
    WriteCount("unequal", error.unequal, json);
  }
  json.EndObject();
}

void WriteNodeError(const NodeError& node, JsonWriter& json) {
  json.CompactNext();
  json.BeginObject();
  json.Field("name", node.node);
  json.Field("operator", node.op);
  json.Field("value", node.value);
  WriteError("error", node.error, json);
  if (node.own) WriteError("own_error", *node.own, json);
  if (node.first) WriteError("first_error", *node.first, json);
  json.EndObject();
}

}  // namespace

std::string ComparisonJson(const Comparison& comparison, const CompareOptions& options) {
  std::string text;
  JsonWriter json(text, 1);
  json.BeginObject();
  json.Field("schema", "opledger-comparison/1");
  json.Field("first", options.first);
  if (options.second.empty()) {
    json.Field("autocast", options.autocast);
  } else {
    json.Field("second", options.second);
  }
  if (options.kernels == "fast") {
    json.Field("machine", InstructionSets());
    json.Field("libraries", Libraries());
  }
  json.Key("outputs");
  json.BeginArray();
  for (const OutputError& output : comparison.outputs) {
    json.CompactNext();
    json.BeginObject();
    json.Field("name", output.name);
    WriteError("error", output.error, json);
    WriteError("first_error", output.first, json);
    json.EndObject();
  }
  json.EndArray();
  json.Key("first_overflow");
  if (comparison.first_overflow) {
    json.Integer(static_cast<std::int64_t>(*comparison.first_overflow));
  } else {
    json.Null();
  }
  json.Key("nodes");
  json.BeginArray();
  for (const NodeError& node : comparison.nodes) WriteNodeError(node, json);
  json.EndArray();
  WriteCount("unmatched_nodes", comparison.unmatched, json);
  json.EndObject();
  return text + "\n";
}

}  // namespace opledger
