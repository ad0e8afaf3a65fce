// Sizes are checked once, by CheckSize, before anything is multiplied out.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor.h"

namespace opledger {

std::size_t Elements(const Dimensions& dimensions) {
  std::size_t elements = 1;
  for (const std::int64_t each : dimensions) elements *= static_cast<std::size_t>(each);
  return elements;
}

std::size_t ElementSize(Dtype dtype) {
  const int bits = DtypeBits(dtype);
  return bits % 8 == 0 ? static_cast<std::size_t>(bits / 8) : 0;
}

std::size_t Bytes(const TensorType& type) {
  return Elements(type.dimensions) * ElementSize(type.dtype);
}

bool CheckSize(const TensorType& type) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;  // bytes
  auto bytes = static_cast<std::int64_t>(ElementSize(type.dtype));
  if (bytes == 0) return false;
  for (const std::int64_t each : type.dimensions) {
    if (each < 0 || each > kMost) return false;
    // An empty tensor's other dimensions count too: strides are made of them.
    if (each > 0 && __builtin_mul_overflow(bytes, each, &bytes)) return false;
    if (bytes > kMost) return false;
  }
  return true;
}

Dimensions Strides(const Dimensions& dimensions) {
  Dimensions strides(dimensions.size());
  std::int64_t stride = 1;
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dimensions[i];
  }
  return strides;
}

std::string Text(const TensorType& type) {
  std::string text = DtypeName(type.dtype);
  for (std::size_t i = 0; i < type.Rank(); ++i) {
    text += (i == 0 ? "[" : ",") + std::to_string(type.dimensions[i]);
  }
  return text + (type.Rank() == 0 ? "[]" : "]");
}

}  // namespace opledger
