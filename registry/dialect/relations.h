// Operators that belong together by their names: versions of one, and a gradient with its function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace opledger {

// The relations of the framework; empty: it has none.
struct Relations {
  std::string version;   // "V#": BatchMatMulV2 is a version of BatchMatMul
  std::string gradient;  // "Grad": TanhGrad is the gradient of Tanh
  // Function -> the operators of its gradient, ", " between them, where its name does not tell
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

// The stem of the function whose gradient this is: "FusedBatchNormGradV3" -> "FusedBatchNorm";
// empty where the name is no gradient's.
std::string_view FunctionOfGradient(std::string_view name, const Relations& relations);

}  // namespace opledger
