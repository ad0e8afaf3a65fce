// Kernels with any number of inputs that broadcast: sum, mean, maximum and minimum, computed in
// float32 and rounded once.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/formulas/reductions.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/broadcast.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// Combines all inputs in `sums`, and stores `elements` results. `walks` has one walk per input.
template <typename T, typename Reduction>
void VariadicRow(const std::vector<BroadcastWalk>& walks, const void* const* inputs, T* out,
                 std::size_t elements, Computed<T>* sums) {
  for (std::size_t input = 0; input < walks.size(); ++input) {
    const auto* in = static_cast<const T*>(inputs[input]);
    walks[input].Rows([&](std::size_t at, const std::int64_t* offsets, std::size_t count,
                          const std::int64_t* steps) {
      for (std::size_t i = 0; i < count; ++i) {
        const auto value = Load(in[offsets[0] + static_cast<std::int64_t>(i) * steps[0]]);
        Computed<T>& sum = sums[at + i];
        sum = input == 0 ? value : Reduction::Reduce(sum, value);
      }
    });
  }
  for (std::size_t i = 0; i < elements; ++i)
    Store(out[i], Reduction::Finish(sums[i], walks.size()));
}

template <typename Reduction>
Prepared PrepareVariadic(const Call& call) {
  std::vector<Dimensions> shapes;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (!call.Has(i) || call.Input(i).dtype != call.Input(0).dtype) {
      return Refuse("its inputs differ in type");
    }
    shapes.push_back(call.Shape(i));
  }
  const auto shape = Broadcast(shapes);
  if (!shape) return Refuse("its inputs do not broadcast");
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, *shape}};
  std::vector<BroadcastWalk> walks;
  for (const Dimensions& each : shapes) walks.emplace_back(*shape, std::vector<Dimensions>{each});
  const std::size_t elements = Elements(*shape);
  WithNumber(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.workspace = elements * sizeof(Computed<T>);
    prepared.run = [walks, elements](const void* const* inputs, void* const* outputs,
                                     void* workspace) {
      VariadicRow<T, Reduction>(walks, inputs, static_cast<T*>(outputs[0]), elements,
                                static_cast<Computed<T>*>(workspace));
    };
  });
  return prepared;
}

#define OPLEDGER_VARIADIC(NAME, REDUCTION, BOUND) \
  OPLEDGER_KERNEL(NAME, "cpu")                    \
      .Types("T", OPLEDGER_NUMBERS)               \
      .Accumulates(Dtype::kFloat32)               \
      .ErrorBound(BOUND)                          \
      .Elementwise()                              \
      .Run(&PrepareVariadic<REDUCTION##Reduction>);
OPLEDGER_VARIADIC(Sum, Sum, "0.5 ulp + n * 2^-24")
OPLEDGER_VARIADIC(Mean, Mean, "0.5 ulp + n * 2^-24")
OPLEDGER_VARIADIC(MaxOf, Max, "exact")
OPLEDGER_VARIADIC(MinOf, Min, "exact")

}  // namespace
}  // namespace opledger
