// Operators related by their names: versions of an operator, and a gradient with its function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace opledger {

// The naming relations of a framework; empty if it has none.
struct Relations {
  std::string version;   // "V#": BatchMatMulV2 is a version of BatchMatMul
  std::string gradient;  // "Grad": TanhGrad is the gradient of Tanh
  // Function -> the operators of its gradient, separated by ", ", if its name does not determine
  // them.
  std::map<std::string, std::string, std::less<>> gradients;

  bool operator==(const Relations&) const = default;
};

struct VersionedName {
  std::string_view stem;
  int version = 1;
};

// With "V#": "BatchMatMulV2" -> {"BatchMatMul", 2}, "BatchMatMul" -> {"BatchMatMul", 1}.
VersionedName SplitVersion(std::string_view name, const Relations& relations);

// Returns the stem of the function that this operator is the gradient of: "FusedBatchNormGradV3" ->
// "FusedBatchNorm". Empty if the name is not that of a gradient.
std::string_view FunctionOfGradient(std::string_view name, const Relations& relations);

}  // namespace opledger
