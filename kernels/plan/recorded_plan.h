// Which kernels a model ran on, written down (schemas/execution-plan.schema.json): the plan that
// `opledger run --write-plan FILE` writes, and `--plan FILE` runs again, on this machine or another
// one like it. The same kernels give the same bits; but our own products round once more on a
// processor without AVX2.
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

// An implementation that was preferred to the one that runs a step, and why it refused.
struct RecordedRefusal {
  std::string implementation;  // as RecordedStep has it
  std::string why;
};

struct RecordedStep {
  std::string node;  // empty: a step between nodes, a cast or a transposition
  std::string op;    // qualified; empty likewise
  std::string kernel;
  // Who computes it: "reference", "vector", "oneDNN brg:avx2". With the kernel's name and the
  // instruction set it names one registration (`run --list-kernels`); what follows the first word
  // is what a library calls its own, for readers, as the refusals are. Empty: the reference; or a
  // branch, a loop, a copy, which have no registration.
  std::string implementation;
  std::string instruction_set;  // without which the kernel is not there; empty: none
  std::vector<RecordedRefusal> refused;
  std::string device;  // "cpu", in a plan for another one; empty: the plan's
  bool channels_last = false;
  std::vector<std::string> fused;    // nodes that it computes besides its own
  std::vector<std::string> inputs;   // "float32[2,3]"; empty: left out
  std::vector<std::string> outputs;  // the same
  Location location;                 // where it was read
  // The graphs that a branch or a loop runs, if they were asked for. Not written: a plan has them
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
  std::string autocast;                  // float16 or bfloat16; empty: the model as it is
  std::string small_constants = "keep";  // of autocast; or "clamp"
  std::string quantised_products;        // "bytes" (quantised_products.h); empty: there are none
  // How float16 and bfloat16 are multiplied, "native" or "widened"; empty: none were planned.
  std::map<Dtype, std::string> products;
  std::string libraries;  // Libraries(device) of the program that made it
  std::string machine;    // its instruction sets
  int threads = 1;
  std::vector<RecordedGraph> graphs;  // inner graphs after those that hold them
  Location location;
};

// A step as it is recorded in a plan for `device`.
RecordedStep RecordStep(const Graph& graph, const ExecutionPlan& plan, const PlannedStep& step,
                        std::string_view device);
// Adds what was chosen for a graph, or a part of its runs; one that is there for the same types is
// not added again.
void RecordGraph(const Graph& graph, ScopeId scope, const std::string& part,
                 const ExecutionPlan& plan, RecordedPlan& recorded);
// The types of a plan's inputs.
std::vector<std::string> InputTypes(const ExecutionPlan& plan);

std::string RecordedPlanJson(const RecordedPlan& recorded);
// A step on one line, with more fields if `more` writes some.
void WriteRecordedStep(const RecordedStep& step, JsonWriter& json,
                       const std::function<void()>& more = nullptr);
// A step as WriteRecordedStep writes it. None: it is no such step.
std::optional<RecordedStep> ParseRecordedStep(std::string line);
// None, with errors: it cannot be read.
std::optional<RecordedPlan> ReadRecordedPlan(const std::string& path, Diagnostics& diagnostics);

}  // namespace opledger
