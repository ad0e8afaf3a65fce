// Plans the inner graph of a node on memory that the outer plan lends it.
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

// A planned inner graph, and the sources of its inputs in the order of its plan.
struct InnerRun {
  std::unique_ptr<Executor> executor;
  std::vector<InnerInput> sources;
  std::vector<const void*> data;
  std::vector<ValueId> placed;  // of InnerOutputs::placed: the root of each; kNone: not placed

  const TensorType& OutputType(std::size_t output) const {
    const ExecutionPlan& plan = executor->plan();
    return *plan.slots[plan.outputs[output]].type;
  }
  const void* Output(std::size_t output) const {
    return executor->Data(executor->plan().outputs[output]);
  }
  std::size_t Arena() const { return AlignedSize(executor->plan().arena); }
  // Returns the value of a bool output that is the same in every run, or nullopt if it varies or is
  // not bool.
  std::optional<bool> KnownTruth(std::size_t output) const {
    const ExecutionPlan& plan = executor->plan();
    const void* known = plan.ConstantOf(plan.outputs[output]);
    if (known == nullptr || OutputType(output).dtype != Dtype::kBool) return std::nullopt;
    return *static_cast<const std::uint8_t*>(known) != 0;
  }
};

// Type and value of an inner graph's input; nullopt if it is left out.
using TypeOfSource = std::function<std::optional<GivenValue>(const InnerInput&)>;

struct InnerOutputs {
  std::vector<ValueId> wanted = {};  // replace the graph's own outputs
  // Indices of outputs that, if steps compute them, are not in the arena but where Executor::Place
  // puts them.
  std::vector<std::size_t> placed = {};
};

// Returns nullptr, with a problem, on failure.
std::shared_ptr<InnerRun> PlanInnerGraph(const PlanRequest& outer, const InnerGraph& graph,
                                         const TypeOfSource& type_of, Status& problem,
                                         const InnerOutputs& outputs = {});

// Returns which of a node's `inputs` (its own and then captured values) are never read at run time,
// neither by the node, which reads `own` (-1: none), nor by one of its graphs.
std::vector<std::size_t> UnreadInputs(std::size_t inputs, const std::vector<int>& own,
                                      const std::vector<const InnerRun*>& graphs);

// Returns whether a scalar is nonzero.
bool Truth(Dtype dtype, const void* number);

}  // namespace opledger
