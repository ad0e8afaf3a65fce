// Plans how a graph runs: its kernels, their order, and memory. In: a graph, its binding, types of
// its inputs. Out: a plan, made once and run for any number of inputs. Its passes are a table in
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

// Where the elements of a value are during a run.
struct Slot {
  // kCaller: memory that the caller sets before each run (Executor::Place), outside the arena.
  enum class Place { kUnused, kInput, kConstant, kArena, kCaller };
  Place place = Place::kUnused;
  std::optional<TensorType> type;  // nullopt: not computed, or not yet
  ConstantTensor constant;         // for kConstant
  bool of_run = false;             // for kConstant: constant in this run only
  std::size_t offset = 0;          // for kArena: bytes
  int input = 0;                   // for kInput: its index
  ValueId view_of = kNone;         // the same memory in another shape
  // For slots that are not values of the graph: the value that this is a version of, in another
  // type or layout, or the list that it is an element of. kNone: a value between the calls of one
  // node.
  ValueId version_of = kNone;
  int element = -1;  // index in the list
  // In a plan for a device. For kArena: on the device instead of the CPU. For inputs and constants,
  // which are always on the CPU: also on the device.
  bool on_device = false;

  // Makes the slot a constant.
  void Hold(ConstantTensor tensor);
};

struct PlannedStep {
  NodeId node = kNone;  // kNone: an inserted cast or transpose
  const KernelEntry* kernel = nullptr;
  Call call;  // the call that was prepared; its constants point into the plan
  Step run;
  std::shared_ptr<const JoinableLaunch> launch;  // from Prepared
  std::vector<ValueId> inputs;                   // kNone: absent
  std::vector<ValueId> outputs;                  // kNone: not needed
  std::size_t workspace = 0;                     // bytes
  std::size_t workspace_offset = 0;
  std::vector<NodeId> fused;   // other nodes that it computes, in order
  bool is_widened = false;     // its 16-bit tensors are stored as float32
  bool channels_last = false;  // channels are last here and second in the graph
  // In a plan for a device: why the step runs on the CPU. Empty if it runs on the device.
  std::string refusal;
  std::string implementation;          // from Prepared
  std::vector<RefusedKernel> refused;  // preferred kernels; only if PlanRequest asks for reasons
  std::shared_ptr<const RecordedPlan> inner;  // likewise: the plans of its inner graphs
  // The step only copies its input, a root, to its output on the other side.
  enum class Copies : std::uint8_t { kNo, kToDevice, kToCpu };
  Copies copies = Copies::kNo;

  bool RunsOnDevice() const { return copies == Copies::kNo && kernel->device() != "cpu"; }
};

struct ExecutionPlan {
  std::vector<Slot> slots;  // values of the graph, then versions and intermediate values
  std::vector<PlannedStep> steps;
  // Steps that depend only on constants of this run and were run during planning. Kept for
  // comparing values. Their calls have no constants.
  std::vector<PlannedStep> computed;
  std::vector<ValueId> inputs;   // of the main graph, without those that have initializers
  std::vector<ValueId> outputs;  // of the main graph, in order; casts of them if inserted
  // An output of the graph that is a list. `outputs` has its elements in its place, in order.
  struct OutputList {
    std::size_t output = 0;  // index in the graph
    std::size_t count = 0;
    bool is_empty_optional = false;
  };
  std::vector<OutputList> output_lists;
  std::size_t arena = 0;         // bytes on the CPU
  std::size_t device_arena = 0;  // bytes on the device

  // Adds an empty slot, or one for a version of a value.
  ValueId AddSlot(ValueId version_of = kNone);
  // Returns the value whose memory this value uses.
  ValueId Root(ValueId value) const;
  // The value itself, if this is only another name of it.
  ValueId Canonical(ValueId value) const;
  bool IsConstant(ValueId value) const;
  // The elements if they are constant, otherwise nullptr.
  const void* ConstantOf(ValueId value) const;
  // Returns the roots that steps read or that are outputs.
  std::set<ValueId> ReadRoots() const;
};

// Returns whether a step computes floats that other kernels of its name may round differently.
// Kernels that are exact or correctly rounded do not.
bool RoundsFloats(const ExecutionPlan& plan, const PlannedStep& step,
                  const std::vector<TensorType>& outputs);

// Appends a step with its kernel, call, inputs and outputs, and what the kernel prepared. A view
// adds no step. A step with only constant inputs is run immediately, unless it rounds values of
// this run: these get the same bits whether or not a stage has made them constant.
void AddStep(ExecutionPlan& plan, PlannedStep step, Prepared prepared);

// Replaces the preparation of a step by that of another kernel for the same call.
void TakeChosen(Prepared prepared, PlannedStep& step);

// For a node that cannot be planned: its inputs whose elements are not known.
struct UnknownInputs {
  NodeId node = kNone;
  std::vector<std::pair<ValueId, TensorType>> values;
};

// Called with a graph's plan after each pass (passes.cpp), the first being "lower", which creates
// the plan; with the name of the pass and its duration.
using WatchPass = std::function<void(const PlanRequest& request, const char* pass, double seconds,
                                     const ExecutionPlan& plan)>;

struct PlanRequest {
  const Graph* graph = nullptr;
  const Binding* binding = nullptr;
  std::map<std::string, TensorType> inputs;  // by name
  KernelChoice choice;
  const Autocast* autocast = nullptr;  // nullptr: the model runs unchanged
  // Inputs that are the same in every run, by name. Values that depend only on them are computed
  // during planning, and they may determine shapes and axes.
  std::map<std::string, ConstantTensor> constants = {};
  std::set<std::string> constants_of_run = {};  // those of them that are constant in this run only
  // For an inner graph: which graph, and the values that it is given, which are the plan's inputs
  // in order.
  ScopeId scope = 0;
  std::map<ValueId, GivenValue> given = {};
  bool is_unrolled = false;  // for a step of a loop whose steps are planned separately
  // Values whose elements are those of this run: they become constants and are not computed.
  std::map<ValueId, ConstantTensor> known = {};
  std::vector<ValueId> wanted = {};  // replaces the graph's outputs; types are the graph's
  UnknownInputs* unknown = nullptr;  // receives the values that must be known
  bool lists_as_outputs = false;     // lists may be outputs, as ExecutionPlan::output_lists
  bool shows_steps = false;          // each step is examined, so element-wise nodes are not joined
  // Distinguishes plans of one graph in a record: "3" for a loop's step with its own plan, "3/1"
  // for a step within it; also for stages.
  std::string part = {};
  RecordedPlan* record = nullptr;  // the chosen kernels are added to it
  // The same for inner graphs only, for display; does not affect choices. With this or `record`,
  // each step keeps why preferred kernels refused it; otherwise reasons are dropped.
  RecordedPlan* shown = nullptr;
  PlanReplay* replay = nullptr;      // its choices must be followed
  const WatchPass* watch = nullptr;  // also called for inner graphs

  bool AsksWhy() const { return record != nullptr || shown != nullptr; }
};

// Returns nullopt and sets `problem`, with the node that it is about.
std::optional<ExecutionPlan> MakeExecutionPlan(const PlanRequest& request, Status& problem);

// Returns the status with its node: "node 'x' (Loop): there is no kernel for it".
std::string StatusText(const Graph& graph, const Status& status);

// The names of a plan's outputs. Elements of a list are NAME.0, NAME.1 and so on.
std::vector<std::string> OutputNames(const Graph& graph, const ExecutionPlan& plan);

// Returns the inputs that a caller must provide.
std::vector<ValueId> RequiredInputs(const Graph& graph);

}  // namespace opledger
