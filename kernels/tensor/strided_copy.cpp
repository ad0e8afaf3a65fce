// Copies strided tensors: counts through all dimensions but the last, which is a loop or a memcpy.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/strided_copy.h"

#include <cstring>

#include "kernels/tensor/element.h"

namespace opledger {
namespace {

// The dimensions other than 1, or one of them if all are 1. Tensors that fit into memory have fewer
// than 64.
struct CopiedDimensions {
  explicit CopiedDimensions(const StridedCopy& copy) {
    for (std::size_t d = 0; d < copy.shape.size(); ++d) {
      if (copy.shape[d] == 1) continue;
      shape[rank] = copy.shape[d];
      from[rank] = copy.from[d];
      to[rank++] = copy.to[d];
    }
    if (rank == 0) rank = 1;
  }

  static constexpr std::size_t kMax = 64;
  std::size_t rank = 0;
  std::int64_t shape[kMax] = {1};
  std::int64_t from[kMax] = {};
  std::int64_t to[kMax] = {};
};

template <typename T>
void CopyElements(const CopiedDimensions& copy, const T* in, T* out) {
  const std::size_t rank = copy.rank;
  const std::int64_t count = copy.shape[rank - 1];
  const std::int64_t from = copy.from[rank - 1];
  const std::int64_t to = copy.to[rank - 1];
  std::int64_t at[CopiedDimensions::kMax] = {};
  while (true) {
    if (from == 1 && to == 1) {
      std::memcpy(out, in, static_cast<std::size_t>(count) * sizeof(T));
    } else {
      for (std::int64_t i = 0; i < count; ++i) out[i * to] = in[i * from];
    }
    std::size_t d = rank - 1;
    while (d-- > 0) {
      in += copy.from[d];
      out += copy.to[d];
      if (++at[d] < copy.shape[d]) break;
      at[d] = 0;
      in -= copy.from[d] * copy.shape[d];
      out -= copy.to[d] * copy.shape[d];
    }
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

}  // namespace

void StridedCopy::Run(const void* in, void* out, std::size_t size) const {
  if (Elements(shape) == 0) return;
  const CopiedDimensions dimensions(*this);
  WithSize(size, [&]<typename T>(T*) {
    CopyElements(dimensions, static_cast<const T*>(in) + from_offset,
                 static_cast<T*>(out) + to_offset);
  });
}

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
