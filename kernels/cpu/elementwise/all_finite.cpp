// AllFinite: 1 if all elements of all inputs are finite, otherwise 0. Decides whether a training
// step is applied.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

bool IsFiniteTensor(Dtype dtype, std::size_t count, const void* numbers) {
  if (dtype != Dtype::kFloat64) return arithmetic::AllFinite(dtype, numbers, count);
  const auto* all = static_cast<const double*>(numbers);
  return std::all_of(all, all + count, [](double each) { return std::isfinite(each); });
}

Prepared PrepareAllFinite(const Call& call) {
  std::vector<std::pair<Dtype, std::size_t>> parts;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const Dtype dtype = call.Has(i) ? call.Input(i).dtype : Dtype::kBool;
    if (!WithFloat(dtype, [](auto*) {})) return Refuse("its inputs are not floats");
    parts.emplace_back(dtype, Elements(call.Shape(i)));
  }
  Prepared prepared;
  prepared.outputs = {{Dtype::kFloat32, {1}}};
  prepared.run = [parts](const void* const* inputs, void* const* outputs, void*) {
    bool finite = true;
    for (std::size_t i = 0; i < parts.size() && finite; ++i) {
      finite = IsFiniteTensor(parts[i].first, parts[i].second, inputs[i]);
    }
    *static_cast<float*>(outputs[0]) = finite ? 1.0F : 0.0F;
  };
  return prepared;
}

OPLEDGER_KERNEL(AllFinite, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .ErrorBound("exact")
    .Run(&PrepareAllFinite);

}  // namespace
}  // namespace opledger
