// Kernels whose output shares the input's elements, possibly in another shape: nothing runs.
// SPDX-License-Identifier: Apache-2.0

#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"

namespace opledger {
namespace {

// Parameter: shape: the output's.
Prepared PrepareReshape(const Call& call) {
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, call.parameters.List("shape")}};
  for (const std::int64_t each : prepared.outputs[0].dimensions) {
    if (each < 0) return Refuse("its shape has a negative dimension");
  }
  if (!CheckSize(prepared.outputs[0]) ||
      Elements(prepared.outputs[0].dimensions) != Elements(call.Shape(0))) {
    return Refuse(Text(call.Input(0)) + " cannot become " + Text(prepared.outputs[0]));
  }
  prepared.is_view = true;
  return prepared;
}

Prepared PrepareIdentity(const Call& call) {
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  prepared.is_view = true;
  return prepared;
}

OPLEDGER_KERNEL(Reshape, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("shape")
    .Rounds(Rounding::kNone)
    .Run(&PrepareReshape);
OPLEDGER_KERNEL(Identity, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Rounds(Rounding::kNone)
    .Run(&PrepareIdentity);

}  // namespace
}  // namespace opledger
