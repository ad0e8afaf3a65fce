// How a graph runs: which kernels, in which order, on which memory. In: a graph, its binding, types
// of its inputs. Out: a plan, made once, run as often as there is input; its passes are a table in
// passes.cpp.
// May include: conversion/label, conversion/model/graph, conversion/model/onnx, conversion/place,
// kernels/arithmetic/loops, kernels/bindings, kernels/bindings/mxnet, kernels/kernel,
// kernels/machine, registry/json, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernels/bindings/bindings.h"
#include "kernels/plan/autocast.h"

namespace opledger {

struct RecordedPlan;
class PlanReplay;

// Where a value's numbers are while the model runs.
struct Slot {
  // kCaller: where who runs the plan says before each run (Executor::Place), and not in the arena.
  enum class Place { kUnused, kInput, kConstant, kArena, kCaller };
  Place place = Place::kUnused;
  std::optional<TensorType> type;  // none: not computed, or not yet
  ConstantTensor constant;         // of kConstant
  bool of_run = false;             // of kConstant: known only for this run
  std::size_t offset = 0;          // of kArena: bytes
  int input = 0;                   // of kInput: its number
  ValueId view_of = kNone;         // the same memory under another shape
  // Of a slot that is no value of the graph: which value it is, in another type or layout; or the
  // list of which it is an element. kNone: a value between the calls of one node.
  ValueId version_of = kNone;
  int element = -1;  // of a list: its number
  // In a plan for a device. Of kArena: there, and not on the CPU's side; of inputs and constants,
  // which the CPU has in any case: there, too.
  bool on_device = false;

  // It is these numbers from now on.
  void Hold(ConstantTensor tensor);
};

struct PlannedStep {
  NodeId node = kNone;  // kNone: a cast that autocast puts, or a transposition
  const KernelEntry* kernel = nullptr;
  Call call;  // what it was prepared from; its constants are those of the plan
  Step run;
  std::shared_ptr<const JoinableLaunch> launch;  // of Prepared
  std::vector<ValueId> inputs;                   // kNone: left out
  std::vector<ValueId> outputs;                  // kNone: nobody asked for it
  std::size_t workspace = 0;                     // bytes
  std::size_t workspace_offset = 0;
  std::vector<NodeId> fused;   // nodes that it computes besides its own, in their order
  bool is_widened = false;     // its 16-bit tensors are float32 numbers
  bool channels_last = false;  // its tensors have them where the graph's have them second
  // In a plan for a device: why the CPU runs it. Empty: it does not.
  std::string refusal;
  std::string implementation;          // of Prepared
  std::vector<RefusedKernel> refused;  // preferred kernels; only where PlanRequest asks for reasons
  std::shared_ptr<const RecordedPlan> inner;  // likewise: the plans of the graphs that it runs
  // Runs nothing, but copies its input, a root, to its output, which is of the other side.
  enum class Copies : std::uint8_t { kNo, kToDevice, kToCpu };
  Copies copies = Copies::kNo;

  bool RunsOnDevice() const { return copies == Copies::kNo && kernel->device() != "cpu"; }
};

struct ExecutionPlan {
  std::vector<Slot> slots;  // of each value of the graph; after them, of casts that autocast puts
  std::vector<PlannedStep> steps;
  // Steps that depend only on numbers of this run and were run while the plan was made; kept for
  // those who compare values. Their calls have no constants.
  std::vector<PlannedStep> computed;
  std::vector<ValueId> inputs;   // of the main graph, without those that initializers give
  std::vector<ValueId> outputs;  // of the main graph, in its order; casts of them, where put
  // An output of the graph that is a list, of which `outputs` have each element in its place; in
  // their order.
  struct OutputList {
    std::size_t output = 0;  // its number in the graph
    std::size_t count = 0;
    bool is_empty_optional = false;
  };
  std::vector<OutputList> output_lists;
  std::size_t arena = 0;         // bytes, of the CPU's memory
  std::size_t device_arena = 0;  // and of the device's; the former is then what the CPU runs on

  // One more slot, which nothing is said of yet; or a version of a value.
  ValueId AddSlot(ValueId version_of = kNone);
  // The value whose memory this one has.
  ValueId Root(ValueId value) const;
  // The value itself, where this is but another name of it.
  ValueId Canonical(ValueId value) const;
  bool IsConstant(ValueId value) const;
  // Its numbers where they are known; else nullptr.
  const void* ConstantOf(ValueId value) const;
  // The roots that steps read, and outputs are.
  std::set<ValueId> ReadRoots() const;
};

// Whether a step computes floating-point numbers from others, and other kernels of its name may
// round them differently: those that are exact or round correctly do not.
bool RoundsFloats(const ExecutionPlan& plan, const PlannedStep& step,
                  const std::vector<TensorType>& outputs);

// A step that has its kernel, call, inputs and outputs, and what the kernel prepared for it: put at
// the end. A view is no step. What takes nothing but constants is run at once; not what rounds
// numbers of this run, which gives the same bits whether a stage made them known or not.
void AddStep(ExecutionPlan& plan, PlannedStep step, Prepared prepared);

// What another kernel than the one that a step was planned with has prepared for its call.
void TakeChosen(Prepared prepared, PlannedStep& step);

// Of a node that cannot be planned: those of its inputs whose numbers are not known.
struct UnknownInputs {
  NodeId node = kNone;
  std::vector<std::pair<ValueId, TensorType>> values;
};

// Told of a graph's plan after each pass (passes.cpp), the first being "lower", which makes it: the
// name of the pass and its seconds.
using WatchPass = std::function<void(const PlanRequest& request, const char* pass, double seconds,
                                     const ExecutionPlan& plan)>;

struct PlanRequest {
  const Graph* graph = nullptr;
  const Binding* binding = nullptr;
  std::map<std::string, TensorType> inputs;  // by name
  KernelChoice choice;
  const Autocast* autocast = nullptr;  // none: the model runs as it is
  // Inputs that are the same in every run, by name: what depends on them alone is computed at once,
  // and they may say shapes and axes.
  std::map<std::string, ConstantTensor> constants = {};
  std::set<std::string> constants_of_run = {};  // of these, the ones that hold for this run only
  // Of an inner graph: which, and all that it is given. The plan's inputs are those, in order.
  ScopeId scope = 0;
  std::map<ValueId, GivenValue> given = {};
  bool is_unrolled = false;  // it is one step of a loop that has a plan for each
  // Values whose numbers are those of this run: they are constants, and not computed.
  std::map<ValueId, ConstantTensor> known = {};
  std::vector<ValueId> wanted = {};  // instead of the graph's outputs, of its own types
  UnknownInputs* unknown = nullptr;  // told what would have to be known
  bool lists_as_outputs = false;     // they may be outputs, as ExecutionPlan::output_lists
  bool shows_steps = false;          // each is looked at: none computes several element-wise nodes
  // Which of the plans that are made of one graph: "3", of a loop's step that has a plan of its
  // own, "3/1", of a step within it; and of stages. A record tells them apart by it.
  std::string part = {};
  RecordedPlan* record = nullptr;  // what is chosen is added to it
  // The same of inner graphs alone, for readers: nothing is chosen otherwise. With this or `record`
  // each step says why preferred kernels refused it; without them no reasons are kept.
  RecordedPlan* shown = nullptr;
  PlanReplay* replay = nullptr;      // what it says is chosen, or nothing
  const WatchPass* watch = nullptr;  // of inner graphs, too

  bool AsksWhy() const { return record != nullptr || shown != nullptr; }
};

// None, with the reason, and the node that it is about.
std::optional<ExecutionPlan> MakeExecutionPlan(const PlanRequest& request, Status& problem);

// "node 'x' (Loop): there is no kernel for it".
std::string StatusText(const Graph& graph, const Status& status);

// What each of a plan's outputs is called: an element of a list NAME.0, NAME.1 and so on.
std::vector<std::string> OutputNames(const Graph& graph, const ExecutionPlan& plan);

// The inputs that a caller has to give.
std::vector<ValueId> RequiredInputs(const Graph& graph);

}  // namespace opledger
