// Plans branches; loop.h plans loops.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/control_flow/control_flow.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "kernels/control_flow/inner_graph.h"
#include "kernels/control_flow/loop.h"
#include "kernels/kernel/step_problem.h"
#include "kernels/plan/recorded_plan.h"

namespace opledger {
namespace {

TypeOfSource OuterTypes(const OuterValues& outer) {
  return [&outer](const InnerInput& input) -> std::optional<GivenValue> {
    return input.index < outer.size() ? outer[input.index] : std::nullopt;
  };
}

void RunOn(InnerRun& inner, const void* const* inputs, std::byte* arena) {
  for (std::size_t i = 0; i < inner.sources.size(); ++i) {
    inner.data[i] = inputs[inner.sources[i].index];
  }
  inner.executor->UseArena(arena);
  inner.executor->Run(inner.data);
  if (inner.executor->status().ok()) return;
  ReportStepProblem(inner.executor->status());
}

// If the condition is known, only that branch is planned.
Prepared PrepareIf(const PlanRequest& request, const ControlFlow& flow, const OuterValues& outer) {
  Prepared prepared;
  const auto& given = flow.test.empty() ? outer[flow.condition] : std::nullopt;
  std::vector<std::shared_ptr<InnerRun>> graphs(2);
  for (std::size_t i = 0; i < 2; ++i) {
    const bool never = given && given->constant &&
                       Truth(given->type.dtype, given->constant->data.get()) != (i == 0);
    if (never) continue;
    graphs[i] = PlanInnerGraph(request, flow.graphs[i], OuterTypes(outer), prepared.refusal);
    if (graphs[i] == nullptr) return prepared;
  }
  const auto any = graphs[0] != nullptr ? graphs[0] : graphs[1];
  std::shared_ptr<InnerRun> test;
  if (!flow.test.empty()) {
    test = PlanInnerGraph(request, flow.test[0], OuterTypes(outer), prepared.refusal);
    if (test == nullptr) return prepared;
    if (Elements(test->OutputType(0).dimensions) != 1) {
      return Refuse("its condition is not a scalar");
    }
  }
  const std::size_t outputs = any->executor->plan().outputs.size();
  for (std::size_t i = 0; i < outputs; ++i) {
    prepared.outputs.push_back(any->OutputType(i));
    for (const auto& graph : graphs) {
      if (graph == nullptr) continue;
      if (graph->executor->plan().outputs.size() != outputs ||
          graph->OutputType(i) != any->OutputType(i)) {
        return Refuse(NeedsValues(
            "its branches return different shapes, and which one runs is known only at run time"));
      }
    }
  }
  for (const auto& graph : {graphs[0], graphs[1], test}) {
    if (graph != nullptr) prepared.workspace = std::max(prepared.workspace, graph->Arena());
  }
  const Dtype dtype = test ? test->OutputType(0).dtype : outer[flow.condition]->type.dtype;
  const int condition = flow.condition;
  prepared.unread_inputs =
      UnreadInputs(outer.size(), {condition}, {graphs[0].get(), graphs[1].get(), test.get()});
  prepared.run = [=](const void* const* inputs, void* const* to, void* workspace) {
    auto* arena = static_cast<std::byte*>(workspace);
    if (test) RunOn(*test, inputs, arena);
    if (HasStepProblem()) return;
    const bool truth = Truth(dtype, test ? test->Output(0) : inputs[condition]);
    InnerRun& taken = *graphs[truth ? 0 : 1];
    RunOn(taken, inputs, arena);
    for (std::size_t i = 0; i < outputs; ++i) {
      if (to[i] != nullptr) std::memcpy(to[i], taken.Output(i), Bytes(taken.OutputType(i)));
    }
  };
  return prepared;
}

}  // namespace

Prepared PrepareControlFlow(const PlanRequest& outer_request, const ControlFlow& flow,
                            const OuterValues& outer) {
  if (!flow.problem.ok()) return Refuse(flow.problem);
  if (flow.kind == ControlFlow::Kind::kIf) {
    const bool has = flow.condition >= 0 &&
                     static_cast<std::size_t>(flow.condition) < outer.size() &&
                     outer[flow.condition] && Elements(outer[flow.condition]->type.dimensions) == 1;
    if (flow.test.empty() && !has) return Refuse("its condition is not a scalar");
    return PrepareIf(outer_request, flow, outer);
  }
  Prepared prepared = PrepareLoop(outer_request, flow, outer);
  if (prepared.refusal.ok() || outer_request.is_unrolled) return prepared;
  if (outer_request.shown != nullptr) outer_request.shown->graphs.clear();
  Prepared unrolled = PrepareUnrolledLoop(outer_request, flow, outer);
  // If both refuse, the first refusal is more informative.
  return unrolled.refusal.ok() ? std::move(unrolled) : std::move(prepared);
}

}  // namespace opledger
