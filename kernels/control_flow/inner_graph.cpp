// An inner graph is planned as the outer one, with the same choice of kernels, but always for the
// CPU, where the node that holds it runs.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/control_flow/inner_graph.h"

#include <algorithm>
#include <set>

#include "kernels/plan/passes.h"

namespace opledger {

namespace {

// Takes outputs out of the arena. If two outputs are the same value, only the first is moved.
std::vector<ValueId> PlaceByCaller(ExecutionPlan& plan, const std::vector<std::size_t>& outputs) {
  std::vector<ValueId> placed;
  for (const std::size_t output : outputs) {
    const ValueId root = output < plan.outputs.size() ? plan.Root(plan.outputs[output]) : kNone;
    const bool is_computed = root != kNone && plan.slots[root].place == Slot::Place::kArena;
    if (is_computed) plan.slots[root].place = Slot::Place::kCaller;
    placed.push_back(is_computed ? root : kNone);
  }
  PlaceInArena(plan);
  return placed;
}

}  // namespace

std::shared_ptr<InnerRun> PlanInnerGraph(const PlanRequest& outer, const InnerGraph& graph,
                                         const TypeOfSource& type_of, Status& problem,
                                         const InnerOutputs& outputs) {
  PlanRequest request{outer.graph, outer.binding, {}, outer.choice, outer.autocast, {}};
  request.choice.device = "cpu";
  request.scope = graph.scope;
  request.wanted = outputs.wanted;
  request.is_unrolled = outer.is_unrolled;
  request.part = outer.part;
  request.record = outer.record;
  request.shown = outer.shown;
  request.watch = outer.watch;
  request.replay = outer.replay;
  std::map<ValueId, InnerInput> sources;
  for (const InnerInput& input : graph.inputs) {
    auto given = type_of(input);
    if (!given) continue;
    request.given.emplace(input.value, std::move(*given));
    sources[input.value] = input;
  }
  auto plan = MakeExecutionPlan(request, problem);
  if (!plan) return nullptr;
  auto run = std::make_shared<InnerRun>();
  for (const ValueId input : plan->inputs) run->sources.push_back(sources[input]);
  run->data.resize(run->sources.size());
  if (!outputs.placed.empty()) run->placed = PlaceByCaller(*plan, outputs.placed);
  run->executor = std::make_unique<Executor>(std::move(*plan), Executor::Arena::kInner);
  return run;
}

std::vector<std::size_t> UnreadInputs(std::size_t inputs, const std::vector<int>& own,
                                      const std::vector<const InnerRun*>& graphs) {
  std::set<std::size_t> read;
  for (const int input : own) {
    if (input >= 0) read.insert(static_cast<std::size_t>(input));
  }
  for (const InnerRun* graph : graphs) {
    if (graph == nullptr) continue;
    const ExecutionPlan& plan = graph->executor->plan();
    const std::set<ValueId> roots = plan.ReadRoots();
    for (std::size_t i = 0; i < graph->sources.size(); ++i) {
      const InnerInput& source = graph->sources[i];
      const bool is_outer = source.from == InnerInput::From::kOuter;
      if (is_outer && roots.count(plan.inputs[i]) != 0) read.insert(source.index);
    }
  }
  std::vector<std::size_t> unread;
  for (std::size_t i = 0; i < inputs; ++i) {
    if (read.count(i) == 0) unread.push_back(i);
  }
  return unread;
}

bool Truth(Dtype dtype, const void* number) {
  if (dtype == Dtype::kFloat32) return *static_cast<const float*>(number) != 0;
  const auto* bytes = static_cast<const unsigned char*>(number);
  return std::any_of(bytes, bytes + ElementSize(dtype),
                     [](unsigned char each) { return each != 0; });
}

}  // namespace opledger
