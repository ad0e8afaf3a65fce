// Casts among float32, float16 and bfloat16.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/rows/rows.h"
#include "kernels/vector/rows/strided_row.h"

namespace opledger {
namespace {

bool IsFloatOfRows(Dtype dtype) {
  return dtype == Dtype::kFloat32 || dtype == Dtype::kFloat16 || dtype == Dtype::kBfloat16;
}

// As the reference's.
Prepared PrepareVectorCast(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Cast", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const Dtype from = call.Input(0).dtype;
  const Dtype to = reference.prepared.outputs[0].dtype;
  if (!IsFloatOfRows(to)) return Refuse("it casts to no type that rows have");
  const std::size_t count = Elements(call.Shape(0));
  Prepared prepared;
  prepared.outputs = reference.prepared.outputs;
  prepared.is_view = reference.prepared.is_view;
  prepared.run = [=](const void* const* inputs, void* const* outputs, void*) {
    ForParts(count, 4 * kPartSize, [&](std::size_t begin, std::size_t end, std::size_t) {
      auto* out = static_cast<std::byte*>(outputs[0]) + begin * ElementSize(to);
      arithmetic::Cast(from, At(from, inputs[0], begin), to, out, end - begin);
    });
  };
  return prepared;
}

OPLEDGER_KERNEL(Cast, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .ErrorBound("0.5 ulp")
    .Priority(10)
    .Run(&PrepareVectorCast);

}  // namespace
}  // namespace opledger
