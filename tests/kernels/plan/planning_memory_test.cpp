// The memory of a prepared call does not grow with its tensors.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <malloc.h>

#include "kernels/kernel/kernel.h"

namespace opledger {
namespace {

// Always 0 under the sanitizers, which replace the allocator.
std::size_t Held() {
  const auto all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

TEST(PlanningMemory, DoesNotDependOnTensorSizes) {
  for (const char* kernel : {"Normalise", "Softmax", "ReduceMean", "ArgMax", "CumSum", "TopK"}) {
    for (const std::int64_t axis : {0, 2}) {
      Call call;
      call.inputs = {TensorType{Dtype::kFloat32, {1024, 64, 1024}}};
      call.constants = {nullptr, nullptr, nullptr};
      if (std::string_view(kernel) == "Normalise") {
        call.inputs.push_back(TensorType{Dtype::kFloat32, {1024}});
        call.inputs.push_back(TensorType{Dtype::kFloat32, {1024}});
      }
      call.parameters.Set("axes", Integers{axis});
      call.parameters.Set("axis", axis);
      const std::size_t before = Held();
      const ChosenKernel chosen = ChooseKernel(kernel, call, {true});
      ASSERT_NE(chosen.entry, nullptr) << kernel << ": " << chosen.prepared.refusal.message;
      EXPECT_LT(Held(), before + 100'000) << kernel << " over axis " << axis;
    }
  }
}

}  // namespace
}  // namespace opledger
