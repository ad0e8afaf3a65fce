// Input data of operators, by the role of the input.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/tensor/constant_tensor.h"

namespace opledger {

enum class Role {
  kReals,          // activations: normal, standard deviation 1, 8 or 64
  kSizes,          // absolute values of these, as after Relu: sums grow with the number of terms
  kPositives,      // 1e-8 to 1e4, log-uniform
  kInside,         // -1 to 1, up to 1e-8 from either end
  kAboveOne,       // from 1 + 1e-8 to 1e4
  kAboveMinusOne,  // from -1 + 1e-8 to 1e4
  kUnit,           // 0 to 1
  kWeights,        // normal, standard deviation 1/32; a parameter
  kScales,         // normal around 1, standard deviation 1/8; a parameter
  kVariances,      // 0.5 to 2; a parameter
  kDivisors,       // the same, or from a domain's `least_divisor` to 2; not a parameter
  kIndices,        // integers
  kBooleans,
};

// Name of the domain of inputs near those where a function changes its sign.
inline constexpr const char* kCrossings = "zeros and poles";

// A distribution of inputs.
struct Domain {
  std::string name;          // "reals 8"
  double deviation = 1;      // of kReals and kSizes
  bool rare = false;         // activations are rarely like this
  double least_divisor = 0;  // of kDivisors; 0: 0.5
  std::int64_t columns = 0;  // length of a row; 0: as in the probe
  // If not empty, the inputs are near these points: at a log-uniform distance of 1e-8 to 1 times
  // the point's magnitude, or around 0 at that distance.
  std::vector<double> near = {};
};
// Domains of an operator whose first input has this role.
std::vector<Domain> DomainsOf(Role role);

// Returns float64 elements that float32 can represent, int64, or booleans. The result depends only
// on the arguments.
ConstantTensor Draw(Role role, const Domain& domain, const Dimensions& shape, std::int64_t limit,
                    std::uint64_t seed);

bool IsParameter(Role role);  // whether the input keeps its type regardless of the others
bool IsOfFloats(Role role);

}  // namespace opledger
