// Strides of the whole on one side, of the part alone on the other.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/tensor_part.h"

namespace opledger {

void TensorPart::Read(const void* whole, std::int64_t at, std::byte* part) const {
  copy.Run(static_cast<const std::byte*>(whole) + static_cast<std::size_t>(at) * step, part, size);
}

void TensorPart::Write(const void* part, void* whole, std::int64_t at) const {
  copy.Run(part, static_cast<std::byte*>(whole) + static_cast<std::size_t>(at) * step, size);
}

std::size_t TensorPart::Bytes() const { return Elements(copy.shape) * size; }

Dimensions WithoutAxis(Dimensions shape, std::int64_t axis) {
  shape.erase(shape.begin() + axis);
  return shape;
}

TensorPart PartAlong(const TensorType& whole, std::int64_t axis, bool from_whole) {
  TensorPart part;
  const Dimensions strides = Strides(whole.dimensions);
  part.copy.shape = WithoutAxis(whole.dimensions, axis);
  const Dimensions inside = WithoutAxis(strides, axis);
  const Dimensions alone = Strides(part.copy.shape);
  part.copy.from = from_whole ? inside : alone;
  part.copy.to = from_whole ? alone : inside;
  part.size = ElementSize(whole.dtype);
  part.step = static_cast<std::size_t>(strides[static_cast<std::size_t>(axis)]) * part.size;
  return part;
}

std::optional<std::int64_t> AxisWithin(std::int64_t axis, std::size_t rank) {
  if (axis < 0) axis += static_cast<std::int64_t>(rank);
  if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return std::nullopt;
  return axis;
}

}  // namespace opledger
