// Types and sizes of tensors. CheckSize checks for overflow once; the others just multiply.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/tensor.h"

#include <optional>

#include "kernels/machine/memory_limit.h"
#include "kernels/tensor/narrow_element.h"

namespace opledger {

bool IsFloat(Dtype dtype) {
  return dtype == Dtype::kFloat32 || dtype == Dtype::kFloat16 || dtype == Dtype::kBfloat16 ||
         dtype == Dtype::kFloat64;
}

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
  const std::size_t elements = Elements(type.dimensions);
  return IsFourBits(type.dtype) ? (elements + 1) / 2 : elements * ElementSize(type.dtype);
}

namespace {

// Returns nullopt if a dimension is negative or too large, the element type has no size, or the
// product overflows.
std::optional<std::int64_t> CheckedBytes(const TensorType& type) {
  constexpr std::int64_t kMax = std::int64_t{1}
                                << 40;  // limit of a dimension, since strides are products of them
  auto bytes = static_cast<std::int64_t>(IsFourBits(type.dtype) ? 1 : ElementSize(type.dtype));
  if (bytes == 0) return std::nullopt;
  for (const std::int64_t each : type.dimensions) {
    if (each < 0 || each > kMax) return std::nullopt;
    // Dimensions of an empty tensor are included, too.
    if (each > 0 && __builtin_mul_overflow(bytes, each, &bytes)) return std::nullopt;
  }
  return IsFourBits(type.dtype) ? bytes / 2 + bytes % 2 : bytes;
}

}  // namespace

std::string NotComputed(Dtype dtype) {
  switch (dtype) {
    case Dtype::kString:
      return "strings are not computed: convert them to numbers before running the model";
    case Dtype::kInt4:
    case Dtype::kUint4:
      return "4-bit integers are only dequantized, not computed: store them as int8 or uint8";
    case Dtype::kFloat8E4M3:
    case Dtype::kFloat8E5M2:
      return "8-bit floats are only dequantized, not computed: export the model in float16 or "
             "bfloat16";
    case Dtype::kComplex64:
    case Dtype::kComplex128:
      return "complex numbers are not computed: represent them as pairs of floats";
    default:
      return {};
  }
}

bool CheckSize(const TensorType& type) {
  const auto bytes = CheckedBytes(type);
  return bytes && static_cast<std::size_t>(*bytes) <= MemoryLeft();
}

std::string SizeProblem(const TensorType& type) {
  if (std::string why = NotComputed(type.dtype); !why.empty()) return why;
  const auto bytes = CheckedBytes(type);
  return bytes ? TooMuchMemory(static_cast<std::size_t>(*bytes))
               : "too large to address, or of negative size";
}

Dimensions Strides(const Dimensions& dimensions) {
  Dimensions strides(dimensions.size());
  std::int64_t stride = 1;
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    strides[i] = stride;
    // May overflow for types that CheckSize has yet to reject; unsigned, so that this is defined.
    stride = static_cast<std::int64_t>(static_cast<std::uint64_t>(stride) *
                                       static_cast<std::uint64_t>(dimensions[i]));
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

std::string OutputProblem(const TensorType& type) {
  return "its output would be " + Text(type) + ": " + SizeProblem(type);
}

}  // namespace opledger
