// Chooses versions of values. An input that accepts either type takes a parameter in low precision
// only if no other reader wants float32, as in a converted file.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/autocast.h"

namespace opledger {
namespace {

bool WantIsLow(const ValuePlan& value, Want want) {
  const bool as_it_is =
      value.parameter ? value.wanted_low && !value.wanted_high : static_cast<bool>(value.low);
  return want == Want::kLow || (want == Want::kAsItIs && as_it_is);
}

}  // namespace

bool TakesLow(const Autocast& autocast, NodeId node, std::size_t input, ValueId value) {
  const ValuePlan& plan = autocast.plan.values[value];
  return plan.float32 && WantIsLow(plan, autocast.plan.inputs[node][input]);
}

bool OutputIsLow(const Autocast& autocast, ScopeId scope, std::size_t output, ValueId value) {
  const ValuePlan& plan = autocast.plan.values[value];
  return plan.float32 && WantIsLow(plan, autocast.plan.scope_outputs[scope][output]);
}

}  // namespace opledger
