// Summarizes tensors; computes in float64 for every type.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/tensor_summary.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "kernels/tensor/element.h"

namespace opledger {
namespace {

struct Bounds {
  double min = 0;
  double max = 0;
  double sum = 0;
  std::size_t finite = 0;
  std::size_t infinite = 0;
  std::size_t nan = 0;

  void Add(double value) {
    if (std::isnan(value)) {
      ++nan;
    } else if (std::isinf(value)) {
      ++infinite;
    } else {
      min = finite == 0 ? value : std::min(min, value);
      max = finite == 0 ? value : std::max(max, value);
      sum += value;
      ++finite;
    }
  }
};

std::string NumberText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", value);
  return text;
}

}  // namespace

std::string Summarise(std::string_view name, const TensorType& type, const void* data) {
  Bounds range;
  const std::size_t count = Elements(type.dimensions);
  const auto add = [&]<typename T>(T*) {
    const auto* numbers = static_cast<const T*>(data);
    for (std::size_t i = 0; i < count; ++i) range.Add(static_cast<double>(Load(numbers[i])));
  };
  if (type.dtype == Dtype::kBool) {
    add(static_cast<std::uint8_t*>(nullptr));
  } else {
    WithNumber(type.dtype, add);
  }
  std::string text = std::string(name) + ": " + Text(type);
  if (range.finite != 0) {
    text += ", " + NumberText(range.min) + " to " + NumberText(range.max) + ", mean " +
            NumberText(range.sum / static_cast<double>(range.finite));
  }
  if (range.infinite != 0) text += ", " + std::to_string(range.infinite) + " infinite";
  if (range.nan != 0) text += ", " + std::to_string(range.nan) + " NaN";
  return text;
}

}  // namespace opledger
