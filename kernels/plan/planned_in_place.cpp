// Plans inner graphs that take or give lists among the nodes around them, once for each step of a
// loop, so that a list is a list of values inside, too. The values of an inner graph are renumbered
// after each step, since the next step computes the same ones.
//   SequenceMap over s of 3, body: y = Relu(x) -> three steps Relu, and their results are a list
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/plan/planner.h"

namespace opledger {
namespace {

constexpr std::int64_t kMaxSteps = 1024;
constexpr std::size_t kMaxSlots = 2'000'000;

}  // namespace

bool Planner::PlanInPlace(NodeId id, const ControlFlow& flow, const std::vector<ValueId>& outer) {
  if (!flow.problem.ok()) return Fail(id, flow.problem);
  if (request_.record != nullptr || request_.replay != nullptr) {
    return Fail(
        id, "it takes or returns a sequence or an optional, which recorded plans do not support");
  }
  ++planned_in_place_;
  bool done = false;
  switch (flow.kind) {
    case ControlFlow::Kind::kIf:
      done = PlanBranch(id, flow, outer);
      break;
    case ControlFlow::Kind::kLoop:
      done = PlanLoop(id, flow, outer);
      break;
    case ControlFlow::Kind::kMap:
      done = PlanMap(id, flow, outer);
      break;
  }
  --planned_in_place_;
  if (!done && planned_in_place_ == 0 && request_.unknown != nullptr) {
    *request_.unknown = {id, {}};
    SayUnknown(id);
  }
  return done;
}

// Returns the value of a constant int64 or bool scalar, or nullopt if it is not constant.
std::optional<std::int64_t> Planner::KnownNumber(ValueId value) const {
  const void* known =
      value == kNone || !plan_.slots[value].type ? nullptr : plan_.ConstantOf(value);
  if (known == nullptr || Elements(plan_.slots[value].type->dimensions) != 1) return std::nullopt;
  if (plan_.slots[value].type->dtype == Dtype::kBool) {
    return *static_cast<const std::uint8_t*>(known) != 0 ? 1 : 0;
  }
  if (plan_.slots[value].type->dtype != Dtype::kInt64) return std::nullopt;
  return *static_cast<const std::int64_t*>(known);
}

ValueId Planner::Hold(ConstantTensor tensor) {
  const ValueId value = plan_.AddSlot();
  plan_.slots[value].Hold(std::move(tensor));
  return value;
}

// Makes `value` another name of a value or list.
void Planner::Alias(ValueId value, ValueId of) {
  if (value == kNone || of == kNone || value == of) return;
  const auto list = lists_.find(of);
  if (list != lists_.end()) {
    ListedValue copy = list->second;
    lists_[value] = std::move(copy);
    return;
  }
  plan_.slots[value].type = plan_.slots[of].type;
  plan_.slots[value].view_of = of;
}

// Plans a graph. Returns its outputs under numbers that no other step uses, or nullopt with a
// problem.
std::optional<std::vector<ValueId>> Planner::PlanGraph(NodeId id, const InnerGraph& inner,
                                                       const SourceOf& source) {
  const std::size_t first_step = plan_.steps.size();
  const std::size_t first_slot = plan_.slots.size();
  for (const InnerInput& input : inner.inputs) Alias(input.value, source(input));
  std::vector<ValueId> results = graph_.scopes[inner.scope].outputs;
  const auto order = Order(results);
  if (!order || first_slot > kMaxSlots) {
    Fail(id, order ? "it has too many steps" : "its graph has a cycle");
    return std::nullopt;
  }
  for (const NodeId node : *order) {
    if (!PlanNode(node)) return std::nullopt;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!TakeTensor(results[i])) return std::nullopt;
    if (lists_.count(results[i]) != 0) continue;
    const auto version = TakenAs(results[i], inner.scope, i);
    if (!version) return std::nullopt;
    results[i] = *version;
  }
  Rename(inner.scope, first_step, first_slot, results);
  return results;
}

void Planner::Rename(ScopeId scope, std::size_t first_step, std::size_t first_slot,
                     std::vector<ValueId>& results) {
  std::map<ValueId, ValueId> names;
  for (const auto& [name, value] : graph_.names[scope]) {
    const auto list = lists_.find(value);
    if (list == lists_.end() &&
        (!plan_.slots[value].type || graph_.values[value].tensor != kNone)) {
      continue;
    }
    const ValueId other = plan_.AddSlot();
    names[value] = other;
    casts_.erase(value);
    if (list != lists_.end()) {
      lists_[other] = std::move(list->second);
      lists_.erase(value);
    } else {
      plan_.slots[other] = std::exchange(plan_.slots[value], Slot());
      if (plan_.slots[other].version_of == kNone) plan_.slots[other].version_of = value;
    }
  }
  const auto renumber = [&](ValueId& value) {
    const auto found = names.find(value);
    if (found != names.end()) value = found->second;
  };
  for (std::size_t i = first_step; i < plan_.steps.size(); ++i) {
    std::for_each(plan_.steps[i].inputs.begin(), plan_.steps[i].inputs.end(), renumber);
    std::for_each(plan_.steps[i].outputs.begin(), plan_.steps[i].outputs.end(), renumber);
  }
  for (std::size_t i = first_slot; i < plan_.slots.size(); ++i) renumber(plan_.slots[i].view_of);
  for (auto& [value, list] : lists_) {
    std::for_each(list.elements.begin(), list.elements.end(), renumber);
  }
  std::for_each(results.begin(), results.end(), renumber);
}

bool Planner::PlanBranch(NodeId id, const ControlFlow& flow, const std::vector<ValueId>& outer) {
  const auto truth = flow.test.empty() ? KnownNumber(outer[flow.condition]) : std::nullopt;
  if (!truth) {
    return Fail(id,
                NeedsValues("its branches take or return sequences, and which one runs is known "
                            "only as it runs"));
  }
  const auto results = PlanGraph(id, flow.graphs[*truth != 0 ? 0 : 1],
                                 [&](const InnerInput& input) { return outer[input.index]; });
  if (!results) return false;
  const std::vector<ValueId>& outputs = graph_.nodes[id].outputs;
  for (std::size_t i = 0; i < outputs.size() && i < results->size(); ++i) {
    Alias(outputs[i], (*results)[i]);
  }
  return true;
}

// Adds a dimension to each part, then concatenates them.
bool Planner::Stack(NodeId id, std::size_t output, std::vector<ValueId> parts) {
  if (parts.empty()) return Fail(id, "it stacks the results of a loop without steps");
  const std::size_t count = parts.size();
  KernelCall stacked;
  stacked.kernel = "Concat";
  stacked.parameters.Set("axis", std::int64_t{0});
  stacked.results = {static_cast<int>(output)};
  for (std::size_t i = 0; i < count; ++i) {
    if (lists_.count(parts[i]) != 0) return Fail(id, "it stacks sequences");
    KernelCall part;
    part.kernel = "Reshape";
    part.inputs = {static_cast<int>(i)};
    Dimensions shape = plan_.slots[parts[i]].type->dimensions;
    shape.insert(shape.begin(), 1);
    part.parameters.Set("shape", std::move(shape));
    part.results = {KernelCall::kForLaterCalls};
    if (!PlanCall(id, part, parts)) return false;
    stacked.inputs.push_back(static_cast<int>(count + i));
  }
  return PlanCall(id, stacked, parts);
}

bool Planner::PlanLoop(NodeId id, const ControlFlow& flow, const std::vector<ValueId>& outer) {
  if (!flow.slices.empty() || !flow.test.empty() || flow.pads) {
    return Fail(id, "it passes a sequence or an optional to a loop over slices");
  }
  const auto trips = flow.trips < 0 ? std::optional(kMaxSteps + 1) : KnownNumber(outer[flow.trips]);
  const auto begins =
      flow.condition < 0 ? std::optional<std::int64_t>(1) : KnownNumber(outer[flow.condition]);
  if (!trips || !begins) {
    return Fail(id, NeedsValues("its number of steps is known only at run time"));
  }
  std::vector<ValueId> carried;
  for (const ControlFlow::Carried& each : flow.carried) {
    if (each.input < 0) return Fail(id, "a loop-carried value has no initial value");
    carried.push_back(outer[each.input]);
  }
  std::vector<std::vector<ValueId>> stacks(flow.stacked.size());
  bool goes_on = *begins != 0;
  for (std::int64_t step = 0; goes_on && step < *trips; ++step) {
    if (step == kMaxSteps) return Fail(id, "it has more than 1024 steps with sequences");
    ConstantTensor number({Dtype::kInt64, {}});
    *number.As<std::int64_t>() = step;
    ConstantTensor truth({Dtype::kBool, {}});
    *truth.As<std::uint8_t>() = 1;
    const ValueId iteration = Hold(std::move(number)), condition = Hold(std::move(truth));
    const auto results = PlanGraph(id, flow.graphs[0], [&](const InnerInput& input) {
      if (input.from == InnerInput::From::kIteration) return iteration;
      if (input.from == InnerInput::From::kCondition) return condition;
      return input.from == InnerInput::From::kCarried ? carried[input.index] : outer[input.index];
    });
    if (!results) return false;
    for (std::size_t i = 0; i < carried.size(); ++i) {
      carried[i] = (*results)[flow.carried[i].body_output];
    }
    for (std::size_t i = 0; i < stacks.size(); ++i) {
      stacks[i].push_back((*results)[flow.stacked[i].body_output]);
    }
    if (flow.condition_output < 0) continue;
    const auto known = KnownNumber((*results)[flow.condition_output]);
    if (!known) {
      return Fail(id, NeedsValues("whether it continues is known only at run time"));
    }
    goes_on = *known != 0;
  }
  const std::vector<ValueId>& outputs = graph_.nodes[id].outputs;
  for (std::size_t i = 0; i < outputs.size() && i < flow.results.size(); ++i) {
    const ControlFlow::Result& result = flow.results[i];
    if (result.input >= 0) {
      Alias(outputs[i], outer[static_cast<std::size_t>(result.input)]);
    } else if (!result.stacked) {
      Alias(outputs[i], carried[result.index]);
    } else if (outputs[i] != kNone && !Stack(id, i, std::move(stacks[result.index]))) {
      return false;
    }
  }
  return true;
}

bool Planner::PlanMap(NodeId id, const ControlFlow& flow, const std::vector<ValueId>& outer) {
  const Node& node = graph_.nodes[id];
  const auto first = outer.empty() ? lists_.end() : lists_.find(outer[0]);
  if (first == lists_.end()) return Fail(id, "its input is not a sequence that the planner knows");
  const std::size_t count = first->second.elements.size();
  std::vector<ListedValue> given(node.outputs.size());
  for (std::size_t step = 0; step < count; ++step) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const auto list = lists_.find(outer[i]);
      if (list != lists_.end() && list->second.elements.size() != count) {
        return Fail(id, "its sequences differ in length");
      }
    }
    const auto results = PlanGraph(id, flow.graphs[0], [&](const InnerInput& input) {
      const auto list = lists_.find(outer[input.index]);
      const bool in_step = list != lists_.end() && input.index < node.inputs.size();
      return in_step ? list->second.elements[step] : outer[input.index];
    });
    if (!results) return false;
    if (results->size() < given.size())
      return Fail(id, "its graph has fewer outputs than the node");
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (lists_.count((*results)[i]) != 0) return Fail(id, "its graph returns sequences");
      given[i].elements.push_back((*results)[i]);
    }
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (node.outputs[i] != kNone) lists_[node.outputs[i]] = std::move(given[i]);
  }
  return true;
}

}  // namespace opledger
