// An odometer over all dimensions but the last, which is a loop or a memcpy.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/strided_copy.h"

#include <cstring>

#include "kernels/tensor/element.h"

namespace opledger {
namespace {

constexpr std::size_t kMostCopiedDimensions = 32;

template <typename T>
void CopyElements(const StridedCopy& copy, const T* in, T* out) {
  const std::size_t rank = copy.shape.size();
  in += copy.from_offset;
  out += copy.to_offset;
  if (rank == 0) {
    *out = *in;
    return;
  }
  const std::int64_t count = copy.shape[rank - 1];
  const std::int64_t from = copy.from[rank - 1];
  const std::int64_t to = copy.to[rank - 1];
  std::int64_t at[kMostCopiedDimensions] = {};
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
  if (Elements(shape) == 0 || shape.size() > kMostCopiedDimensions) return;
  WithSize(size, [&]<typename T>(T*) {
    CopyElements(*this, static_cast<const T*>(in), static_cast<T*>(out));
  });
}

}  // namespace opledger
