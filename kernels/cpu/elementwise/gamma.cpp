// The gamma function and the logarithm of its magnitude, by the C library in float64.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

double GammaOf(double x) { return std::tgamma(x); }

// lgamma writes to a global variable, so it is not thread-safe.
double LogGammaOf(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

template <double (*kFunction)(double)>
Prepared PrepareGamma(const Call& call) {
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  const std::size_t count = Elements(call.Shape(0));
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [count](const void* const* inputs, void* const* outputs, void*) {
      for (std::size_t i = 0; i < count; ++i) {
        const double x = static_cast<double>(Load(static_cast<const T*>(inputs[0])[i]));
        Store(static_cast<T*>(outputs[0])[i], static_cast<Computed<T>>(kFunction(x)));
      }
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(Gamma, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat64)
    .ErrorBound("1 ulp")
    .Elementwise()
    .Run(&PrepareGamma<GammaOf>);
OPLEDGER_KERNEL(LogGamma, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat64)
    .ErrorBound("1 ulp")
    .Elementwise()
    .Run(&PrepareGamma<LogGammaOf>);

}  // namespace
}  // namespace opledger
