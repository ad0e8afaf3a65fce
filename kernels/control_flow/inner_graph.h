// The inner graph of a node, planned on memory that the outer plan lends it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/control_flow/control_flow.h"
#include "kernels/execute/execute.h"

namespace opledger {

// An inner graph that is planned, and where its inputs come from, in the order of its plan.
struct InnerRun {
  std::unique_ptr<Executor> executor;
  std::vector<InnerInput> sources;
  std::vector<const void*> data;
  std::vector<ValueId> placed;  // of InnerOutputs::placed: the root of each; kNone: it is not

  const TensorType& OutputType(std::size_t output) const {
    const ExecutionPlan& plan = executor->plan();
    return *plan.slots[plan.outputs[output]].type;
  }
  const void* Output(std::size_t output) const {
    return executor->Data(executor->plan().outputs[output]);
  }
  std::size_t Arena() const { return AlignedSize(executor->plan().arena); }
  // The one number of an output that is the same in every run; none: it is not, or no bool.
  std::optional<bool> KnownTruth(std::size_t output) const {
    const ExecutionPlan& plan = executor->plan();
    const void* known = plan.ConstantOf(plan.outputs[output]);
    if (known == nullptr || OutputType(output).dtype != Dtype::kBool) return std::nullopt;
    return *static_cast<const std::uint8_t*>(known) != 0;
  }
};

// What an input of an inner graph is given; none: it is left out.
using TypeOfSource = std::function<std::optional<GivenValue>(const InnerInput&)>;

struct InnerOutputs {
  std::vector<ValueId> wanted = {};  // instead of the graph's own
  // Numbers of those that, if steps compute them, have no place in the arena, but are where
  // Executor::Place says.
  std::vector<std::size_t> placed = {};
};

// None, with a problem.
std::shared_ptr<InnerRun> PlanInnerGraph(const PlanRequest& outer, const InnerGraph& graph,
                                         const TypeOfSource& type_of, Status& problem,
                                         const InnerOutputs& outputs = {});

// Of the `inputs` of a node (those captured values after them), those that nobody reads as it
// runs: neither the node, which reads `own` (-1: none), nor one of its graphs.
std::vector<std::size_t> UnreadInputs(std::size_t inputs, const std::vector<int>& own,
                                      const std::vector<const InnerRun*>& graphs);

// Whether one number is another than zero.
bool Truth(Dtype dtype, const void* number);

}  // namespace opledger
