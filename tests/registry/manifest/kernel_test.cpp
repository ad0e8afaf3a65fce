// Combines kernels into a statement about a device and a type.
// SPDX-License-Identifier: Apache-2.0
#include "registry/manifest/kernel.h"

#include <gtest/gtest.h>

#include "registry/manifest/manifest.h"

namespace opledger {
namespace {

Kernel On(std::string device, std::map<std::string, KernelTypes, std::less<>> types) {
  Kernel kernel;
  kernel.device = std::move(device);
  kernel.types = std::move(types);
  return kernel;
}

Operator WithDtypes(std::vector<std::pair<std::string, std::string>> dtypes) {
  Operator op;
  for (auto& [variable, types] : dtypes) op.fields["dtypes"].push_back({variable, types, {}, {}});
  return op;
}

Serves OnCuda(const Operator& op) { return HasKernel(op, "cuda", Dtype::kFloat16, nullptr); }

TEST(HasKernel, NoneSeenIsUnknown) {
  Operator op = WithDtypes({{"T", "float16, float32"}});
  EXPECT_EQ(OnCuda(op), Serves::kUnknown);
  op.kernels = {On("cpu", {{"T", {{"float16", "float32"}, ""}}})};
  EXPECT_EQ(OnCuda(op), Serves::kUnknown);
  EXPECT_EQ(HasKernel(op, "cpu", Dtype::kFloat16, nullptr), Serves::kYes);
}

TEST(HasKernel, NoNeedsEveryKernelToSay) {
  Operator op = WithDtypes({{"T", "float16, float32"}});
  op.kernels = {On("cuda", {{"T", {{"float32"}, ""}}})};
  EXPECT_EQ(OnCuda(op), Serves::kNo);
  op.kernels.push_back(On("cuda", {}));
  EXPECT_EQ(OnCuda(op), Serves::kUnknown);
  op.kernels.back() = On("cuda", {{"T", {{}, "Computed()"}}});
  EXPECT_EQ(OnCuda(op), Serves::kUnknown);
  op.kernels.back() = On("*", {{"T", {{"float16"}, ""}}});
  EXPECT_EQ(OnCuda(op), Serves::kYes);
}

TEST(HasKernel, IndicesDoNotCount) {
  Operator op = WithDtypes({{"T", "float16, float32"}, {"I", "int32, int64"}});
  op.kernels = {On("cuda", {{"T", {{"float32"}, ""}}}),
                On("cuda", {{"T", {{"float64"}, ""}}, {"I", {{"int32"}, ""}}})};
  EXPECT_EQ(OnCuda(op), Serves::kNo);
  op.kernels = {On("cuda", {{"I", {{"int32"}, ""}}})};
  EXPECT_EQ(OnCuda(op), Serves::kUnknown);
}

TEST(HasKernel, AnInputThatIsFloatAnyhowDoesNotCount) {
  Operator op = WithDtypes({{"T", "float16, float32"}, {"float", "float32"}});
  op.kernels = {On("cuda", {{"T", {{"float32"}, ""}}})};
  EXPECT_EQ(OnCuda(op), Serves::kNo);
}

TEST(HasKernel, AVariableThatNoKernelTakesDecides) {
  Operator op = WithDtypes({{"T", "float16, float32"}, {"U", "float16, float32"}});
  op.kernels = {On("cuda", {{"T", {{"float32"}, ""}}})};
  EXPECT_EQ(OnCuda(op), Serves::kNo);
  op.kernels = {On("cuda", {{"T", {{"float16"}, ""}}, {"U", {{"float32"}, ""}}})};
  EXPECT_EQ(OnCuda(op), Serves::kNo);
  op.kernels = {On("cuda", {{"T", {{"float16"}, ""}}})};
  EXPECT_EQ(OnCuda(op), Serves::kYes);
}

TEST(HasKernel, AVariableThatIsNeverFloatOrRefusesTheTypeDoesNotCount) {
  Operator op =
      WithDtypes({{"T", "float16, float32"}, {"I", "float16, float32, int32"}, {"F", "float32"}});
  op.kernels = {
      On("cuda", {{"T", {{"float16"}, ""}}, {"I", {{"int32"}, ""}}, {"F", {{"float32"}, ""}}})};
  EXPECT_EQ(OnCuda(op), Serves::kYes);
}

TEST(HasKernel, KernelsTellWhichVariablesMatterWhereTheOperatorDoesNot) {
  Operator op;
  op.kernels = {On("cuda", {{"", {{"float32"}, ""}}}), On("cpu", {{"", {{"float16"}, ""}}})};
  EXPECT_EQ(OnCuda(op), Serves::kNo);
  op.kernels = {On("cuda", {{"", {{"int32"}, ""}}})};
  EXPECT_EQ(OnCuda(op), Serves::kUnknown);
}

TEST(HasKernel, OnlyKernelsOfTheBuildAndWithoutLabel) {
  Operator op = WithDtypes({{"T", "float16, float32"}});
  op.kernels = {On("cuda", {{"T", {{"float32"}, ""}}}), On("cuda", {{"T", {{"float16"}, ""}}})};
  op.kernels[1].condition = Condition::FromExpression("MLIR");
  const Configuration with{{{"MLIR", "1"}}, {}};
  const Configuration without{{}, {"MLIR"}};
  const Configuration open;
  EXPECT_EQ(HasKernel(op, "cuda", Dtype::kFloat16, &with), Serves::kYes);
  EXPECT_EQ(HasKernel(op, "cuda", Dtype::kFloat16, &without), Serves::kNo);
  EXPECT_EQ(HasKernel(op, "cuda", Dtype::kFloat16, &open), Serves::kUnknown);
  EXPECT_EQ(OnCuda(op), Serves::kYes);
  op.kernels[1].label = "jit";
  EXPECT_EQ(OnCuda(op), Serves::kNo);
}

TEST(JoinKernels, JoinsWhatDiffersInOneVariable) {
  std::vector<Kernel> kernels;
  for (const char* from : {"float32", "float64"}) {
    for (const char* to : {"float16", "float32"}) {
      kernels.push_back(On("cpu", {{"S", {{from}, ""}}, {"D", {{to}, ""}}}));
    }
  }
  kernels.push_back(On("cpu", {{"S", {{"int32"}, ""}}, {"D", {{"int32"}, ""}}}));
  JoinKernels(kernels);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0],
            On("cpu", {{"S", {{"float32", "float64"}, ""}}, {"D", {{"float16", "float32"}, ""}}}));
  const std::vector<Kernel> once = kernels;
  JoinKernels(kernels);
  EXPECT_EQ(kernels, once);
}

TEST(JoinKernels, KeepsPlacesAndUnreadTypesApart) {
  std::vector<Kernel> kernels = {On("cpu", {{"T", {{"float32"}, ""}}}),
                                 On("cpu", {{"T", {{"float16"}, ""}}}),
                                 On("cpu", {{"T", {{}, "Types()"}}})};
  kernels[1].location.line = 7;
  JoinKernels(kernels);
  EXPECT_EQ(kernels.size(), 3U);
}

TEST(KernelDtypes, TellsThoseOfTheVariablesThatMatter) {
  Operator op = WithDtypes({{"T", "float16, float32"}, {"I", "int32"}});
  op.kernels = {On("cuda", {{"T", {{"float32"}, ""}}, {"I", {{"int32"}, ""}}}),
                On("*", {{"T", {{"float64"}, ""}}})};
  EXPECT_EQ(KernelDtypes(op, "cuda", nullptr), "T: float32, float64");
}

}  // namespace
}  // namespace opledger
