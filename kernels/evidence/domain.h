// Numbers that an operator is given, by the role of its input.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/tensor/constant_tensor.h"

namespace opledger {

enum class Role {
  kReals,          // activations: normal, deviation 1, 8 or 64
  kSizes,          // the same of one sign, as after Relu: what is added up grows with how many
  kPositives,      // 1e-8 to 1e4, evenly in their logarithm
  kInside,         // -1 to 1, up to 1e-8 from either end
  kAboveOne,       // from 1 + 1e-8 to 1e4
  kAboveMinusOne,  // from -1 + 1e-8 to 1e4
  kUnit,           // 0 to 1
  kWeights,        // normal, deviation 1/32; a parameter
  kScales,         // normal around 1, deviation 1/8; a parameter
  kVariances,      // 0.5 to 2; a parameter
  kDivisors,       // the same, or from `least_divisor` of a domain to 2; no parameter
  kIndices,        // integers
  kBooleans,
};

// The domain of numbers near those where a function changes its sign.
inline constexpr const char* kCrossings = "zeros and poles";

// What an operator is tried on.
struct Domain {
  std::string name;          // "reals 8"
  double deviation = 1;      // of kReals
  bool rare = false;         // few activations are like these
  double least_divisor = 0;  // of kDivisors; 0: 0.5
  std::int64_t columns = 0;  // how long a row is; 0: as the probe has it
  // Not empty: the numbers are near these, 1 to 1e-8 times as far from one as it is from 0, evenly
  // in the logarithm; from 0 itself, so far.
  std::vector<double> near = {};
};
// Of an operator whose first input has this role.
std::vector<Domain> DomainsOf(Role role);

// float64 numbers that float32 holds, or int64, or truth values; the same for the same seed.
ConstantTensor Draw(Role role, const Domain& domain, const Dimensions& shape, std::int64_t limit,
                    std::uint64_t seed);

bool IsParameter(Role role);  // an input that keeps its type whatever the others have
bool IsOfFloats(Role role);

}  // namespace opledger
