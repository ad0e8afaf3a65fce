// Records plans, and writes and reads them as JSON: one line per step, so that plans can be
// compared.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/recorded_plan.h"

#include <algorithm>
#include <limits>

#include "kernels/kernel/narrow_products.h"
#include "kernels/plan/plan.h"
#include "registry/json/json_fields.h"
#include "registry/json/json_write.h"

namespace opledger {
namespace {

const char* ProductsField(Dtype dtype) {
  return dtype == Dtype::kFloat16 ? "float16_products" : "bfloat16_products";
}

std::vector<std::string> TypesOf(const ExecutionPlan& plan, const std::vector<ValueId>& values) {
  std::vector<std::string> types;
  for (const ValueId value : values) {
    types.push_back(value == kNone ? "" : Text(*plan.slots[value].type));
  }
  return types;
}

// Records why a 16-bit contraction is multiplied in float32.
void RecordWidened(const ExecutionPlan& plan, const PlannedStep& step, RecordedStep& recorded) {
  const auto kernels = Kernels().find(step.kernel->name());
  if (kernels == Kernels().end() || !step.call.Has(0)) return;
  // The reference kernel's properties apply to all kernels of its name.
  if (kernels->second.back()->properties().fuses == FusedChannel::kNone) return;
  Dtype dtype = step.call.Input(0).dtype;
  const ValueId value = step.outputs.empty() ? kNone : plan.slots[step.outputs[0]].version_of;
  if (step.is_widened && value != kNone && plan.slots[value].type) {
    dtype = plan.slots[value].type->dtype;
  }
  if (!std::count(std::begin(kNarrowDtypes), std::end(kNarrowDtypes), dtype)) return;
  const char* const why = WhyWidened(dtype);
  if (why != nullptr)
    recorded.refused.push_back({std::string(DtypeName(dtype)) + " products", why});
}

}  // namespace

RecordedStep RecordStep(const Graph& graph, const ExecutionPlan& plan, const PlannedStep& step,
                        std::string_view device) {
  RecordedStep recorded;
  if (step.node != kNone) {
    const Node& node = graph.nodes[step.node];
    recorded.node = graph.NameOf(step.node);
    recorded.op = QualifiedName(node.domain, node.op);
  }
  recorded.kernel = step.kernel->name();
  if (step.kernel->device() != device) recorded.device = step.kernel->device();
  recorded.channels_last = step.channels_last;
  for (const NodeId node : step.fused) recorded.fused.push_back(graph.NameOf(node));
  // Includes inputs that the kernel has packed, which are inputs of the call but not of the step.
  for (const auto& input : step.call.inputs) {
    recorded.inputs.push_back(input ? Text(*input) : "");
  }
  recorded.outputs = TypesOf(plan, step.outputs);
  if (Kernels().count(step.kernel->name()) != 0) {
    recorded.implementation = step.kernel->implementation_name();
    if (!step.implementation.empty()) recorded.implementation += " " + step.implementation;
  }
  for (const RefusedKernel& each : step.refused) {
    recorded.refused.push_back({std::string(each.entry->implementation_name()), each.why});
  }
  RecordWidened(plan, step, recorded);
  recorded.inner = step.inner;
  return recorded;
}

void WriteRecordedStep(const RecordedStep& step, JsonWriter& json,
                       const std::function<void()>& more) {
  json.BeginCompactObject();
  if (!step.node.empty()) {
    json.Field("node", step.node);
    json.Field("operator", step.op);
  }
  json.Field("kernel", step.kernel);
  if (!step.implementation.empty()) json.Field("implementation", step.implementation);
  if (!step.device.empty()) json.Field("device", step.device);
  if (!step.refused.empty()) {
    json.Records("refused", step.refused, [&](const RecordedRefusal& each) {
      json.Field("implementation", each.implementation);
      json.Field("why", each.why);
    });
  }
  if (step.channels_last) {
    json.Field("channels_last", true);
  }
  if (!step.fused.empty()) json.Array("fused", step.fused);
  json.Array("inputs", step.inputs);
  json.Array("outputs", step.outputs);
  if (more) more();
  json.EndObject();
}

std::vector<std::string> InputTypes(const ExecutionPlan& plan) {
  return TypesOf(plan, plan.inputs);
}

void RecordGraph(const Graph& graph, ScopeId scope, const std::string& part,
                 const ExecutionPlan& plan, RecordedPlan& recorded) {
  RecordedGraph made;
  made.scope = scope;
  made.part = part;
  made.inputs = InputTypes(plan);
  const auto same = [&](const RecordedGraph& other) {
    return other.scope == scope && other.part == part && other.inputs == made.inputs;
  };
  if (std::any_of(recorded.graphs.begin(), recorded.graphs.end(), same)) return;
  for (const PlannedStep& step : plan.steps) {
    made.steps.push_back(RecordStep(graph, plan, step, recorded.device));
  }
  const auto behind = std::upper_bound(
      recorded.graphs.begin(), recorded.graphs.end(), scope,
      [](ScopeId number, const RecordedGraph& other) { return number < other.scope; });
  recorded.graphs.insert(behind, std::move(made));
}

std::string RecordedPlanJson(const RecordedPlan& recorded) {
  std::string text;
  JsonWriter json(text, 1);
  json.BeginObject();
  json.Field("schema", "opledger-execution-plan/1");
  json.Field("kernels", recorded.kernels);
  json.Field("device", recorded.device);
  if (!recorded.autocast.empty()) json.Field("autocast", recorded.autocast);
  if (recorded.small_constants == "clamp") json.Field("small_constants", recorded.small_constants);
  if (!recorded.quantised_products.empty()) {
    json.Field("quantised_products", recorded.quantised_products);
  }
  for (const auto& [dtype, products] : recorded.products) {
    if (!products.empty()) json.Field(ProductsField(dtype), products);
  }
  json.Field("libraries", recorded.libraries);
  json.Field("machine", recorded.machine);
  json.Field("threads", std::int64_t{recorded.threads});
  json.Array("graphs", recorded.graphs, [&](const RecordedGraph& graph) {
    json.BeginObject();
    json.Field("scope", std::int64_t{graph.scope});
    if (!graph.part.empty()) json.Field("part", graph.part);
    json.CompactArray("inputs", graph.inputs);
    json.Array("steps", graph.steps,
               [&](const RecordedStep& step) { WriteRecordedStep(step, json); });
    json.EndObject();
  });
  json.EndObject();
  return text + "\n";
}

// Reads a recorded plan. Every step keeps its line, for errors when the plan cannot be followed.

namespace {

constexpr int kMaxThreads = 1024;

// Reads one of a few words; if it is absent, the first of them.
std::string OneOf(JsonFields& fields, const char* key, const std::vector<std::string>& words) {
  return fields.Take(key) == nullptr ? words.front() : fields.Choice(key, words);
}

// Maps the priorities in old plans, which had no implementation names.
std::string ImplementationOfPriority(std::int64_t priority) {
  switch (priority) {
    case 0:
      return "";
    case 10:
      return "vector";
    case 20:
      return "oneDNN";
    default:
      return "priority-" + std::to_string(priority);
  }
}

bool ReadStep(const JsonDocument& document, const JsonValue& item, RecordedStep& step,
              Diagnostics& diagnostics) {
  constexpr std::int64_t kHighest = std::numeric_limits<std::int32_t>::max();
  JsonFields fields(document, item, "step", diagnostics);
  step.location = document.At(item.span);
  step.node = fields.String("node");
  step.op = fields.String("operator");
  step.kernel = fields.RequiredString("kernel");
  step.device = OneOf(fields, "device", {"", "cpu"});
  step.implementation = fields.String("implementation");
  const std::int64_t priority = fields.Integer("priority", 0, 0, kHighest);
  if (step.implementation.empty()) step.implementation = ImplementationOfPriority(priority);
  bool ok = true;
  for (const JsonValue& each : fields.Objects("refused")) {
    RecordedRefusal& refusal = step.refused.emplace_back();
    JsonFields of_refusal(document, each, "refusal", diagnostics);
    refusal.implementation = of_refusal.RequiredString("implementation");
    refusal.why = of_refusal.RequiredString("why");
    ok = of_refusal.Finish() && ok;
  }
  step.channels_last = fields.Boolean("channels_last", false);
  step.fused = fields.Strings("fused");
  step.inputs = fields.Strings("inputs");
  step.outputs = fields.Strings("outputs");
  return fields.Finish() && ok;
}

bool ReadGraph(const JsonDocument& document, const JsonValue& item, RecordedGraph& graph,
               Diagnostics& diagnostics) {
  constexpr ScopeId kLast = std::numeric_limits<ScopeId>::max();
  JsonFields fields(document, item, "graph", diagnostics);
  graph.location = document.At(item.span);
  graph.scope = static_cast<ScopeId>(fields.Integer("scope", 0, 0, kLast));
  graph.part = fields.String("part");
  graph.inputs = fields.Strings("inputs");
  bool ok = true;
  for (const JsonValue& step : fields.Objects("steps")) {
    ok = ReadStep(document, step, graph.steps.emplace_back(), diagnostics) && ok;
  }
  return fields.Finish() && ok;
}

}  // namespace

std::optional<RecordedStep> ParseRecordedStep(std::string line) {
  Diagnostics ignored;
  const auto document = ParseJson({}, std::move(line), ignored);
  RecordedStep step;
  if (!document || !ReadStep(*document, document->root, step, ignored)) return std::nullopt;
  return step;
}

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
  const std::string small = OneOf(fields, "small_constants", {"", "clamp"});
  if (!small.empty()) plan.small_constants = small;
  plan.quantised_products = OneOf(fields, "quantised_products", {"", "bytes"});
  for (const Dtype dtype : kNarrowDtypes) {
    plan.products[dtype] = OneOf(fields, ProductsField(dtype), {"", "native", "widened"});
  }
  plan.libraries = fields.String("libraries");
  plan.machine = fields.String("machine");
  plan.threads = static_cast<int>(fields.Integer("threads", 1, 1, kMaxThreads));
  bool ok = true;
  for (const JsonValue& item : fields.Objects("graphs")) {
    ok = ReadGraph(*document, item, plan.graphs.emplace_back(), diagnostics) && ok;
  }
  if (!fields.Finish() || !ok) return std::nullopt;
  return plan;
}

}  // namespace opledger
