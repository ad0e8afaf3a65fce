// Prints a comparison as text and as JSON.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "kernels/compare/compare.h"
#include "kernels/compare/table_text.h"
#include "kernels/machine/backend.h"
#include "kernels/machine/machine.h"
#include "registry/json/json_write.h"
#include "registry/text/short_number.h"

namespace opledger {
namespace {

// "12 of 14 rows".
std::string RowsInWords(const RowCounts& rows) {
  return std::to_string(rows.matched) + " of " + std::to_string(rows.matched + rows.missing) +
         (rows.is_numbers ? " elements" : " rows");
}

std::string InWords(const TensorError& error) {
  if (error.unequal != 0) return std::to_string(error.unequal) + " differ";
  std::string text = ShortNumber(error.relative_l2);
  if (error.rows) text += ", " + RowsInWords(*error.rows);
  if (error.not_finite != 0) text += ", " + std::to_string(error.not_finite) + " not finite";
  return text;
}

// Sorts nodes by their own error, worst first; by their total error if that is not known.
std::vector<std::size_t> WorstFirst(const std::vector<NodeError>& nodes) {
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    const TensorError& error = nodes[i].own ? *nodes[i].own : nodes[i].error;
    return std::pair(error.not_finite != 0, error.relative_l2);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  return order;
}

std::string OutputsText(const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows = {{"output", "type", "relative L2", "largest error",
                                                 "of the largest number", "ulp",
                                                 "first model's L2"}};
  for (const OutputError& output : comparison.outputs) {
    rows.push_back({Printable(output.name), DtypeName(output.error.dtype), InWords(output.error),
                    ShortNumber(output.error.absolute), ShortNumber(output.error.relative),
                    ShortNumber(output.error.ulp), InWords(output.first)});
  }
  return "outputs, against the first model in float64\n" + TableText(rows);
}

// For outputs of different sizes: "boxes: 12 of 14 rows match, ...".
std::string RowsText(const Comparison& comparison) {
  std::string text;
  for (const OutputError& output : comparison.outputs) {
    if (!output.error.rows) continue;
    const RowCounts& rows = *output.error.rows;
    text += Printable(output.name) + ": " + RowsInWords(rows) + " match, " +
            std::to_string(rows.missing) + " only in the first model, " +
            std::to_string(rows.added) + " only in the second\n";
  }
  return text;
}

// The samples with the largest errors.
std::string SamplesText(std::vector<SampleError> samples) {
  constexpr std::size_t kShown = 5;
  if (samples.empty()) return {};
  std::stable_sort(samples.begin(), samples.end(),
                   [](const SampleError& a, const SampleError& b) { return a.error > b.error; });
  std::string text = "the largest of " + std::to_string(samples.size()) +
                     (samples.size() == 1 ? " sample:" : " samples:");
  for (std::size_t i = 0; i < samples.size() && i < kShown; ++i) {
    text +=
        (i == 0 ? " " : ", ") + ShortNumber(samples[i].error) + " on " + Printable(samples[i].name);
  }
  return text + "\n";
}

// Names the outputs whose error exceeds the limit.
std::string VerdictText(const Comparison& comparison, double max_error) {
  std::string text;
  for (const OutputError& output : comparison.outputs) {
    if (Weight(output.error) <= max_error) continue;
    if (output.error.rows && output.error.relative <= max_error) {
      text += "rows without a match: " + Printable(output.name) + "\n";
      continue;
    }
    text += "error of more than " + ShortNumber(max_error) +
            " of its largest number: " + Printable(output.name) + "\n";
  }
  return text;
}

std::string OverflowText(const Comparison& comparison) {
  if (!comparison.first_overflow) return "no node overflows\n";
  const NodeError& node = comparison.nodes[*comparison.first_overflow];
  std::string text = "first to overflow: " + Printable(node.node) + " (" + Printable(node.op) +
                     "), " + std::to_string(node.error.not_finite) + " of " +
                     std::to_string(node.error.numbers) + " elements";
  if (node.own) text += node.own->not_finite != 0 ? ", by itself" : ", by the errors before it";
  return text + "\n";
}

}  // namespace

std::string ComparisonText(const Comparison& comparison, const CompareOptions& options) {
  std::string text;
  text += OutputsText(comparison) + RowsText(comparison) + SamplesText(comparison.samples) +
          OverflowText(comparison);
  if (options.max_error) text += VerdictText(comparison, *options.max_error);
  const std::size_t count = comparison.nodes.size();
  const std::size_t shown =
      options.worst == 0 ? count : std::min(count, static_cast<std::size_t>(options.worst));
  if (shown == 0) return text;
  std::vector<std::vector<std::string>> rows = {
      {"node", "operator", "type", "own L2", "own ulp", "L2 here", "first model's"}};
  const std::vector<std::size_t> order = WorstFirst(comparison.nodes);
  for (std::size_t i = 0; i < shown; ++i) {
    const NodeError& node = comparison.nodes[order[i]];
    rows.push_back({Printable(node.node), Printable(node.op), DtypeName(node.error.dtype),
                    node.own ? InWords(*node.own) : "unknown",
                    node.own ? ShortNumber(node.own->ulp) : "", InWords(node.error),
                    node.first ? InWords(*node.first) : ""});
  }
  text += "worst " + std::to_string(shown) + " of " + std::to_string(count) +
          " nodes, by the error each makes on exact inputs (own)\n" + TableText(rows);
  if (comparison.unmatched != 0) {
    text += std::to_string(comparison.unmatched) +
            " nodes compute values that the first model does not have\n";
  }
  return text;
}

// Writes a comparison in the format of schemas/comparison.schema.json.

namespace {

void WriteError(const char* key, const TensorError& error, JsonWriter& json) {
  json.BeginObject(key);
  json.Field("dtype", DtypeName(error.dtype));
  json.Field("numbers", error.numbers);
  if (IsFloat(error.dtype)) {
    json.Field("ulp", error.ulp);
    json.Field("absolute", error.absolute);
    json.Field("relative", error.relative);
    json.Field("relative_l2", error.relative_l2);
    json.Field("not_finite", error.not_finite);
  } else {
    json.Field("unequal", error.unequal);
  }
  if (error.rows) {
    json.BeginObject("rows");
    json.Field("unit", error.rows->is_numbers ? "number" : "row");
    json.Field("matched", error.rows->matched);
    json.Field("missing", error.rows->missing);
    json.Field("added", error.rows->added);
    json.EndObject();
  }
  json.EndObject();
}

void WriteNodeError(const NodeError& node, JsonWriter& json) {
  json.BeginCompactObject();
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
    json.Field("autocast", options.autocast.dtype);
  } else {
    json.Field("second", options.second);
  }
  if (options.kernels == "fast") {
    json.Field("machine", InstructionSets());
    json.Field("libraries", Libraries("cpu"));
  }
  json.Records("outputs", comparison.outputs, [&](const OutputError& output) {
    json.Field("name", output.name);
    WriteError("error", output.error, json);
    WriteError("first_error", output.first, json);
  });
  if (!comparison.samples.empty()) {
    json.Records("samples", comparison.samples, [&](const SampleError& sample) {
      json.Field("name", sample.name);
      json.Field("relative", sample.error);
    });
  }
  json.Key("first_overflow");
  if (comparison.first_overflow) {
    json.Integer(static_cast<std::int64_t>(*comparison.first_overflow));
  } else {
    json.Null();
  }
  json.Array("nodes", comparison.nodes, [&](const NodeError& node) { WriteNodeError(node, json); });
  json.Field("unmatched_nodes", comparison.unmatched);
  json.EndObject();
  return text + "\n";
}

}  // namespace opledger
