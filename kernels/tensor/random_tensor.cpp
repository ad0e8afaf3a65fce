// Generates random tensors by integer arithmetic and exact sums: same elements on every machine.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/random_tensor.h"

#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// splitmix64: https://prng.di.unimi.it/splitmix64.c
std::uint64_t NextRandom(std::uint64_t& state) {
  std::uint64_t bits = state += 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return bits ^ bits >> 31;
}

// Returns the sum of twelve uniform values minus six: approximately normal, and exact on every
// machine.
double NextNormal(std::uint64_t& state) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) {
    sum += static_cast<double>(NextRandom(state) >> 40) / static_cast<double>(1 << 24);
  }
  return sum;
}

}  // namespace

ConstantTensor RandomTensor(const TensorType& type, std::uint64_t seed) {
  ConstantTensor tensor(type);
  std::uint64_t state = seed;
  const std::size_t count = Elements(type.dimensions);
  const bool floats = WithFloat(type.dtype, [&]<typename T>(T*) {
    for (std::size_t i = 0; i < count; ++i) {
      Store(tensor.As<T>()[i], static_cast<Computed<T>>(NextNormal(state)));
    }
  });
  if (floats) return tensor;
  WithSize(ElementSize(type.dtype), [&]<typename T>(T*) {
    for (std::size_t i = 0; i < count; ++i) tensor.As<T>()[i] = NextRandom(state) >> 63;
  });
  return tensor;
}

}  // namespace opledger
