// Activations keep their declared relative accuracy where their factors cancel or vanish.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "kernels/kernel/kernel.h"

namespace opledger {
namespace {

struct Activation {
  const char* kernel;
  double ulp;
  float around;  // where the error was largest
  std::function<double(double)> exact;
};

double SiluOf(double x) { return x * std::exp(x) / (1 + std::exp(x)); }

TEST(ActivationBounds, HoldWhereFactorsCancel) {
  const double alpha = 0.2F;
  const std::vector<Activation> all = {
      {"HardSigmoid", 1, -2.5F, [&](double x) { return std::fmax(0, alpha * x + 0.5); }},
      {"HardSwish", 4, -3.0F, [](double x) { return x * std::fmax(0, (x + 3) / 6); }},
      {"Silu", 4, -88.0F, SiluOf},
      {"Silu", 4, -103.9F, SiluOf},
  };
  for (const Activation& each : all) {
    for (const bool reference : {true, false}) {
      std::vector<float> in;
      for (int i = -2000; i <= 2000; ++i) {
        in.push_back(each.around + static_cast<float>(i) * 0x1p-20F);
      }
      const Dimensions shape = {static_cast<std::int64_t>(in.size())};
      Call call;
      call.inputs = {TensorType{Dtype::kFloat32, shape}};
      call.constants = {nullptr};
      if (each.ulp == 1) call.parameters.Set("alpha", alpha);
      const ChosenKernel chosen = ChooseKernel(each.kernel, call, {reference});
      ASSERT_NE(chosen.entry, nullptr);
      std::vector<float> out(in.size());
      const void* inputs[] = {in.data()};
      void* outputs[] = {out.data()};
      chosen.prepared.run(inputs, outputs, nullptr);
      for (std::size_t i = 0; i < in.size(); ++i) {
        const double exact = each.exact(static_cast<double>(in[i]));
        const auto size = static_cast<float>(std::fabs(exact));
        const double ulp =
            static_cast<double>(std::nextafter(size, INFINITY)) - static_cast<double>(size);
        ASSERT_LE(std::fabs(static_cast<double>(out[i]) - exact), each.ulp * ulp)
            << each.kernel << " of " << in[i];
      }
    }
  }
}

}  // namespace
}  // namespace opledger
