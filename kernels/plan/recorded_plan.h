// A record of the kernels that ran a model (schemas/execution-plan.schema.json), which `opledger
// run --write-plan FILE` writes and `--plan FILE` runs again, on this machine or a similar one. The
// same kernels give the same bits, except that our own products round once more on a processor
// without AVX2.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conversion/model/graph/graph.h"
#include "registry/text/diagnostics.h"

namespace opledger {

class JsonWriter;
struct ExecutionPlan;
struct PlannedStep;
struct RecordedPlan;

// An implementation that was preferred to the one of the step, and why it refused.
struct RecordedRefusal {
  std::string implementation;  // as in RecordedStep
  std::string why;
};

struct RecordedStep {
  std::string node;  // empty: an inserted cast or transpose
  std::string op;    // qualified; empty if `node` is
  std::string kernel;
  // The implementation: "reference", "vector", "oneDNN brg:avx2". With the kernel's name and the
  // instruction set, its first word identifies a registration (`run --list-kernels`). The rest is a
  // library's own name, for readers only, like the refusals. Empty: the reference; or a branch, a
  // loop or a copy, which have no registration.
  std::string implementation;
  std::string instruction_set;  // that the kernel requires; empty: none
  std::vector<RecordedRefusal> refused;
  std::string device;  // "cpu" in a plan for another device; empty: the plan's
  bool channels_last = false;
  std::vector<std::string> fused;    // other nodes that it computes
  std::vector<std::string> inputs;   // "float32[2,3]"; empty: absent
  std::vector<std::string> outputs;  // the same
  Location location;                 // in the file
  // The inner graphs of a branch or a loop, if they were requested. Not written: a plan has them
  // beside the main graph.
  std::shared_ptr<const RecordedPlan> inner;
};

struct RecordedGraph {
  ScopeId scope = 0;                // 0: the main graph
  std::string part;                 // PlanRequest::part
  std::vector<std::string> inputs;  // types
  std::vector<RecordedStep> steps;
  Location location;
};

struct RecordedPlan {
  std::string kernels = "fast";          // or "reference"
  std::string device = "cpu";            // or "cuda"
  std::string autocast;                  // float16 or bfloat16; empty: none
  std::string small_constants = "keep";  // of autocast; or "clamp"
  std::string quantised_products;        // "bytes" (quantised_products.h), or empty
  // "native" or "widened" for float16 and bfloat16 products; empty if there were none.
  std::map<Dtype, std::string> products;
  std::string libraries;  // Libraries(device) of the program that wrote the plan
  std::string machine;    // its instruction sets
  int threads = 1;
  std::vector<RecordedGraph> graphs;  // outer graphs before their inner ones
  Location location;
};

// Records a step of a plan for `device`.
RecordedStep RecordStep(const Graph& graph, const ExecutionPlan& plan, const PlannedStep& step,
                        std::string_view device);
// Adds the choices for a graph, or a part of its runs, unless there is a record for the same types.
void RecordGraph(const Graph& graph, ScopeId scope, const std::string& part,
                 const ExecutionPlan& plan, RecordedPlan& recorded);
// Returns the types of a plan's inputs.
std::vector<std::string> InputTypes(const ExecutionPlan& plan);

std::string RecordedPlanJson(const RecordedPlan& recorded);
// Writes a step on one line; `more` may write additional fields.
void WriteRecordedStep(const RecordedStep& step, JsonWriter& json,
                       const std::function<void()>& more = nullptr);
// Parses a step as WriteRecordedStep writes it. Returns nullopt if it is invalid.
std::optional<RecordedStep> ParseRecordedStep(std::string line);
// Returns nullopt and reports errors if the plan cannot be read.
std::optional<RecordedPlan> ReadRecordedPlan(const std::string& path, Diagnostics& diagnostics);

}  // namespace opledger
