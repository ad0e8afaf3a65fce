// C++ types of tensor elements, and the types they are computed in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "conversion/model/half/half.h"
#include "registry/text/dtype.h"

namespace opledger {

// 16-bit floats as stored in memory.
struct Float16 {
  std::uint16_t bits;
};
struct Bfloat16 {
  std::uint16_t bits;
};

template <typename T>
inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, Bfloat16>;
// 16-bit floats are computed in float32, all other types in themselves.
template <typename T>
using Computed = std::conditional_t<kIsHalf<T>, float, T>;

template <typename T>
Computed<T> Load(T element) {
  if constexpr (std::is_same_v<T, Float16>) {
    return FromFloat16(element.bits);
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return FromBfloat16(element.bits);
  } else {
    return element;
  }
}

// Rounds to nearest, ties to even.
template <typename T>
void Store(T& element, Computed<T> value) {
  if constexpr (std::is_same_v<T, Float16>) {
    element.bits = ToFloat16(value);
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    element.bits = ToBfloat16(value);
  } else {
    element = value;
  }
}

// Calls `use` with a null pointer to the C++ type of `dtype`. Returns false if `dtype` is not one
// of the floats that kernels compute with.
template <typename Use>
bool WithFloat(Dtype dtype, const Use& use) {
  switch (dtype) {
    case Dtype::kFloat32:
      use(static_cast<float*>(nullptr));
      return true;
    case Dtype::kFloat16:
      use(static_cast<Float16*>(nullptr));
      return true;
    case Dtype::kBfloat16:
      use(static_cast<Bfloat16*>(nullptr));
      return true;
    case Dtype::kFloat64:
      use(static_cast<double*>(nullptr));
      return true;
    default:
      return false;
  }
}

// Like WithFloat, for integers without bool.
template <typename Use>
bool WithInteger(Dtype dtype, const Use& use) {
  switch (dtype) {
    case Dtype::kInt8:
      use(static_cast<std::int8_t*>(nullptr));
      return true;
    case Dtype::kInt16:
      use(static_cast<std::int16_t*>(nullptr));
      return true;
    case Dtype::kInt32:
      use(static_cast<std::int32_t*>(nullptr));
      return true;
    case Dtype::kInt64:
      use(static_cast<std::int64_t*>(nullptr));
      return true;
    case Dtype::kUint8:
      use(static_cast<std::uint8_t*>(nullptr));
      return true;
    case Dtype::kUint16:
      use(static_cast<std::uint16_t*>(nullptr));
      return true;
    case Dtype::kUint32:
      use(static_cast<std::uint32_t*>(nullptr));
      return true;
    case Dtype::kUint64:
      use(static_cast<std::uint64_t*>(nullptr));
      return true;
    default:
      return false;
  }
}

// The same for floats and integers.
template <typename Use>
bool WithNumber(Dtype dtype, const Use& use) {
  return WithFloat(dtype, use) || WithInteger(dtype, use);
}

// Like WithFloat, for elements that are only moved: passes the unsigned integer type of `size`
// bytes.
template <typename Use>
bool WithSize(std::size_t size, const Use& use) {
  switch (size) {
    case 1:
      use(static_cast<std::uint8_t*>(nullptr));
      return true;
    case 2:
      use(static_cast<std::uint16_t*>(nullptr));
      return true;
    case 4:
      use(static_cast<std::uint32_t*>(nullptr));
      return true;
    case 8:
      use(static_cast<std::uint64_t*>(nullptr));
      return true;
    default:
      return false;
  }
}

}  // namespace opledger
