// Draws test inputs: normal elements by RandomTensor, uniform ones by splitmix64.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/evidence/domain.h"

#include <cmath>

#include "kernels/tensor/random_tensor.h"

namespace opledger {
namespace {

constexpr double kMin = -8;  // decimal exponents
constexpr double kMax = 4;

// splitmix64, as in random_tensor.cpp: https://prng.di.unimi.it/splitmix64.c
class UniformNumbers {
 public:
  explicit UniformNumbers(std::uint64_t seed) : state_(seed) {}
  // At least 0, below 1.
  double Next() {
    std::uint64_t bits = state_ += 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return static_cast<double>((bits ^ bits >> 31) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

double Power(double min, double max, double share) {
  return std::pow(10.0, min + (max - min) * share);
}

double DrawSign(UniformNumbers& numbers) { return numbers.Next() < 0.5 ? -1 : 1; }

double DrawNear(const std::vector<double>& points, UniformNumbers& numbers) {
  const auto count = static_cast<double>(points.size());
  const double point = points[static_cast<std::size_t>(numbers.Next() * count)];
  const double distance = DrawSign(numbers) * Power(kMin, 0, numbers.Next());
  return point == 0 ? distance : point * (1 + distance);
}

double DrawUniform(Role role, const Domain& domain, UniformNumbers& numbers) {
  if (!domain.near.empty()) return DrawNear(domain.near, numbers);
  const double share = numbers.Next();
  switch (role) {
    case Role::kPositives:
      return Power(kMin, kMax, share);
    case Role::kInside: {
      const double end = 1 - Power(kMin, 0, share);
      return end * DrawSign(numbers);
    }
    case Role::kAboveOne:
      return 1 + Power(kMin, kMax, share);
    case Role::kAboveMinusOne:
      return -1 + Power(kMin, kMax, share);
    case Role::kVariances:
      return 0.5 + 1.5 * share;
    case Role::kDivisors:
      if (domain.least_divisor == 0) return 0.5 + 1.5 * share;
      return Power(std::log10(domain.least_divisor), std::log10(2), share);
    default:
      return share;
  }
}

double Mean(Role role) { return role == Role::kScales ? 1 : 0; }

double Deviation(Role role, const Domain& domain) {
  if (role == Role::kWeights) return 1.0 / 32;
  return role == Role::kScales ? 1.0 / 8 : domain.deviation;
}

}  // namespace

std::vector<Domain> DomainsOf(Role role) {
  switch (role) {
    case Role::kReals:
      return {{"reals 1", 1}, {"reals 8", 8, true}, {"reals 64", 64, true}};
    case Role::kSizes:
      return {{"sizes 1", 1}, {"sizes 8", 8, true}, {"sizes 64", 64, true}};
    case Role::kPositives:
      return {{"positives", 1}};
    case Role::kInside:
      return {{"-1 to 1", 1}};
    case Role::kAboveOne:
      return {{"above 1", 1}};
    case Role::kAboveMinusOne:
      return {{"above -1", 1}};
    default:
      return {{"0 to 1", 1}};
  }
}

ConstantTensor Draw(Role role, const Domain& domain, const Dimensions& shape, std::int64_t limit,
                    std::uint64_t seed) {
  const std::size_t count = Elements(shape);
  UniformNumbers even(seed);
  if (role == Role::kIndices || role == Role::kBooleans) {
    const bool indices = role == Role::kIndices;
    ConstantTensor drawn({indices ? Dtype::kInt64 : Dtype::kBool, shape});
    for (std::size_t i = 0; i < count; ++i) {
      const auto number =
          static_cast<std::int64_t>(even.Next() * static_cast<double>(indices ? limit : 2));
      if (indices) {
        drawn.As<std::int64_t>()[i] = number;
      } else {
        drawn.As<std::uint8_t>()[i] = number != 0 ? 1 : 0;
      }
    }
    return drawn;
  }
  const bool normal = domain.near.empty() && (role == Role::kReals || role == Role::kSizes ||
                                              role == Role::kWeights || role == Role::kScales);
  ConstantTensor drawn = normal ? RandomTensor({Dtype::kFloat64, shape}, seed)
                                : ConstantTensor({Dtype::kFloat64, shape});
  for (std::size_t i = 0; i < count; ++i) {
    double& number = drawn.As<double>()[i];
    number =
        normal ? Mean(role) + Deviation(role, domain) * number : DrawUniform(role, domain, even);
    if (role == Role::kSizes) number = std::fabs(number);
    number = static_cast<double>(static_cast<float>(number));
  }
  return drawn;
}

bool IsParameter(Role role) {
  return role == Role::kWeights || role == Role::kScales || role == Role::kVariances;
}

bool IsOfFloats(Role role) { return role != Role::kIndices && role != Role::kBooleans; }

}  // namespace opledger
