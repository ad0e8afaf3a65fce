// Casts among float32, float16 and bfloat16.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/elementwise/row_program.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

bool IsFloatOfRows(Dtype dtype) {
  return dtype == Dtype::kFloat32 || dtype == Dtype::kFloat16 || dtype == Dtype::kBfloat16;
}

// Takes the parameters of the reference.
Prepared PrepareVectorCast(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Cast", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const Dtype to = reference.prepared.outputs[0].dtype;
  if (!IsFloatOfRows(to)) return Refuse("it does not cast to float32, float16 or bfloat16");
  if (reference.prepared.is_view) return reference.prepared;
  if (call.parameters.Has("small")) return Refuse("it raises small values");
  RowProgram program(reference.prepared.outputs[0]);
  const auto through = ParseDtype(call.parameters.Word("through", ""));
  program.Round(through.value_or(to), program.AddInput(0, call.Input(0)));
  return program.Prepare();
}

OPLEDGER_KERNEL(Cast, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .ErrorBound("0.5 ulp")
    .By("vector")
    .Run(&PrepareVectorCast);

}  // namespace
}  // namespace opledger
