// Computes errors in float64; float64 tensors are compared with values of the same precision.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/tensor_error.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/tensor/element.h"

namespace opledger {
namespace {

struct FloatFormat {
  int digits;        // bits of the significand, with the hidden bit
  int least_normal;  // exponent of the smallest normal value
};

FloatFormat FormatOf(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat16:
      return {11, -14};
    case Dtype::kBfloat16:
      return {8, -126};
    case Dtype::kFloat64:
      return {53, -1022};
    default:
      return {24, -126};
  }
}

double PartOf(double error, double whole) {
  if (error == 0) return 0;
  return whole == 0 ? std::numeric_limits<double>::infinity() : error / whole;
}

// Root of a sum of squares, scaled so that it neither overflows nor underflows.
struct Norm {
  double scale = 0;
  double sum = 0;

  void Add(double value) {
    const double size = std::fabs(value);
    if (size == 0) return;
    if (size > scale) {
      sum = sum * (scale / size) * (scale / size) + 1;
      scale = size;
    } else {
      sum += (size / scale) * (size / scale);
    }
  }
  double Value() const { return scale * std::sqrt(sum); }
};

}  // namespace

double UnitInLastPlace(Dtype dtype, double number) {
  const FloatFormat format = FormatOf(dtype);
  const int exponent = number == 0 ? format.least_normal : std::ilogb(number);
  return std::ldexp(1.0, std::max(exponent, format.least_normal) - format.digits + 1);
}

TensorError ErrorOf(const TensorType& type, const void* data, const ConstantTensor& exact) {
  TensorError error;
  error.dtype = type.dtype;
  error.numbers = Elements(type.dimensions);
  Norm errors;
  Norm numbers;
  double largest = 0;
  const bool is_float = WithFloat(type.dtype, [&]<typename T>(T*) {
    for (std::size_t i = 0; i < error.numbers; ++i) {
      const double wanted = exact.As<double>()[i];
      const double got = Load(static_cast<const T*>(data)[i]);
      if (!std::isfinite(wanted)) continue;
      if (!std::isfinite(got)) {
        ++error.not_finite;
        continue;
      }
      numbers.Add(wanted);
      largest = std::max(largest, std::fabs(wanted));
      const double off = std::fabs(got - wanted);
      errors.Add(off);
      error.absolute = std::max(error.absolute, off);
      error.ulp = std::max(error.ulp, off / UnitInLastPlace(type.dtype, wanted));
    }
  });
  error.relative = PartOf(error.absolute, largest);
  error.relative_l2 = PartOf(errors.Value(), numbers.Value());
  const std::size_t size = ElementSize(type.dtype);
  for (std::size_t i = 0; !is_float && i < error.numbers * size; i += size) {
    const auto* bytes = static_cast<const std::byte*>(data) + i;
    error.unequal += std::memcmp(bytes, exact.data.get() + i, size) != 0 ? 1 : 0;
  }
  return error;
}

double Weight(const TensorError& error) {
  const bool unmatched = error.rows && error.rows->missing + error.rows->added != 0;
  if (error.not_finite != 0 || error.unequal != 0 || unmatched)
    return std::numeric_limits<double>::infinity();
  return error.relative;
}

}  // namespace opledger
