// Reported reasons why preferred kernels refuse a call.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/kernel/kernel.h"

namespace opledger {
namespace {

Prepared PrepareNothing(const Call&) { return {}; }

TEST(RefusedKernels, NameTheInstructionSet) {
  KernelEntry entry("Nothing", "cpu");
  entry.Needs("no_such_set").By("vector").Run(&PrepareNothing);
  EXPECT_EQ("this machine has no no_such_set", entry.Serve({}).refusal.message);
}

Call ClipByUnknown() {
  Call call;
  call.inputs = {TensorType{Dtype::kFloat32, {4}}, TensorType{Dtype::kFloat32, {}}};
  call.constants = {nullptr, nullptr};
  return call;
}

TEST(RefusedKernels, AreToldInTheirOrder) {
  std::vector<RefusedKernel> refused;
  const ChosenKernel chosen = ChooseKernel("Clip", ClipByUnknown(), {}, &refused);
  ASSERT_NE(chosen.entry, nullptr);
  EXPECT_EQ("reference", chosen.entry->implementation_name());
  ASSERT_EQ(1U, refused.size());
  EXPECT_EQ("vector", refused[0].entry->implementation_name());
  EXPECT_EQ("its bounds are computed at run time", refused[0].why);
}

TEST(RefusedKernels, AreAllThereIfNoneServes) {
  Call call = ClipByUnknown();
  call.inputs[0]->dtype = Dtype::kBool;
  std::vector<RefusedKernel> refused;
  const ChosenKernel chosen = ChooseKernel("Clip", call, {}, &refused);
  EXPECT_EQ(nullptr, chosen.entry);
  const std::vector<const KernelEntry*>& all = Kernels().at("Clip");
  EXPECT_EQ(std::count_if(all.begin(), all.end(),
                          [](const auto* each) { return each->device() == "cpu"; }),
            static_cast<std::ptrdiff_t>(refused.size()));
}

}  // namespace
}  // namespace opledger
