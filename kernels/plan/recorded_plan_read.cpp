// Reading a recorded plan; every step keeps its line, for what is said when it cannot be followed.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "kernels/plan/recorded_plan.h"
#include "registry/json/json_fields.h"

namespace opledger {
namespace {

constexpr int kMostThreads = 1024;

// One of a few words; absent: the first of them.
std::string OneOf(JsonFields& fields, const char* key, const std::vector<std::string>& words) {
  return fields.Take(key) == nullptr ? words.front() : fields.Choice(key, words);
}

bool ReadStep(const JsonDocument& document, const JsonValue& item, RecordedStep& step,
              Diagnostics& diagnostics) {
  constexpr int kHighest = std::numeric_limits<int>::max();
  JsonFields fields(document, item, "step", diagnostics);
  step.location = document.At(item.span);
  step.node = fields.String("node");
  step.op = fields.String("operator");
  step.kernel = fields.RequiredString("kernel");
  step.priority = static_cast<int>(fields.Integer("priority", 0, 0, kHighest));
  step.instruction_set = fields.String("instruction_set");
  step.device = OneOf(fields, "device", {"", "cpu"});
  step.channels_last = fields.Boolean("channels_last", false);
  step.fused = fields.Strings("fused");
  step.inputs = fields.Strings("inputs");
  step.outputs = fields.Strings("outputs");
  return fields.Finish();
}

bool ReadGraph(const JsonDocument& document, const JsonValue& item, RecordedGraph& graph,
               Diagnostics& diagnostics) {
  constexpr ScopeId kLast = std::numeric_limits<ScopeId>::max();
  JsonFields fields(document, item, "graph", diagnostics);
  graph.location = document.At(item.span);
  graph.scope = static_cast<ScopeId>(fields.Integer("scope", 0, 0, kLast));
  graph.inputs = fields.Strings("inputs");
  bool ok = true;
  for (const JsonValue& step : fields.Objects("steps")) {
    ok = ReadStep(document, step, graph.steps.emplace_back(), diagnostics) && ok;
  }
  return fields.Finish() && ok;
}

}  // namespace

std::optional<RecordedPlan> ReadRecordedPlan(const std::string& path, Diagnostics& diagnostics) {
  const auto document = ReadJson(path, diagnostics);
  if (!document) return std::nullopt;
  JsonFields fields(*document, document->root, "execution plan", diagnostics);
  if (!fields.Schema("opledger-execution-plan", 1)) return std::nullopt;
  RecordedPlan plan;
  plan.location = {.path = path};
  plan.kernels = OneOf(fields, "kernels", {"fast", "reference"});
  plan.device = OneOf(fields, "device", {"cpu", "cuda"});
  plan.autocast = OneOf(fields, "autocast", {"", "float16", "bfloat16"});
  plan.bfloat16_products = OneOf(fields, "bfloat16_products", {"", "native", "widened"});
  plan.libraries = fields.String("libraries");
  plan.machine = fields.String("machine");
  plan.threads = static_cast<int>(fields.Integer("threads", 1, 1, kMostThreads));
  bool ok = true;
  for (const JsonValue& item : fields.Objects("graphs")) {
    ok = ReadGraph(*document, item, plan.graphs.emplace_back(), diagnostics) && ok;
  }
  if (!fields.Finish() || !ok) return std::nullopt;
  return plan;
}

}  // namespace opledger
