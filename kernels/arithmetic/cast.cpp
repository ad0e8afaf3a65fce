// The loops themselves are those of the converter, conversion/model/half.h.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/cast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "conversion/model/half.h"

namespace opledger::arithmetic {
namespace {

void RequireFloat(Dtype dtype) {
  if (dtype == Dtype::kFloat32 || dtype == Dtype::kFloat16 || dtype == Dtype::kBfloat16) return;
  std::fprintf(stderr, "arithmetic/cast: %s is no type that kernels compute with\n",
               DtypeName(dtype));
  std::abort();
}

}  // namespace

void Widen(Dtype from, const void* in, float* out, std::size_t n) {
  RequireFloat(from);
  if (n == 0) return;
  if (from == Dtype::kFloat32) {
    std::memmove(out, in, n * sizeof(float));
  } else {
    WidenFloats(static_cast<const char*>(in), n, from, reinterpret_cast<char*>(out));
  }
}

void Narrow(const float* in, Dtype to, void* out, std::size_t n) {
  RequireFloat(to);
  if (n == 0) return;
  if (to == Dtype::kFloat32) {
    std::memmove(out, in, n * sizeof(float));
  } else {
    ConvertFloats(reinterpret_cast<const char*>(in), n, to, static_cast<char*>(out));
  }
}

void Cast(Dtype from, const void* in, Dtype to, void* out, std::size_t n) {
  RequireFloat(to);
  if (from == to || to == Dtype::kFloat32) {
    const std::size_t size = from == Dtype::kFloat32 ? 4 : 2;
    if (from == to && n != 0) {
      std::memmove(out, in, n * size);
    } else {
      Widen(from, in, static_cast<float*>(out), n);
    }
    return;
  }
  if (from == Dtype::kFloat32) return Narrow(static_cast<const float*>(in), to, out, n);
  std::array<float, 1024> tile;
  for (std::size_t at = 0; at < n; at += tile.size()) {
    const std::size_t count = std::min(tile.size(), n - at);
    Widen(from, static_cast<const char*>(in) + 2 * at, tile.data(), count);
    Narrow(tile.data(), to, static_cast<char*>(out) + 2 * at, count);
  }
}

bool AllFinite(Dtype dtype, const void* in, std::size_t n) {
  std::array<float, 1024> tile;
  const std::size_t size = dtype == Dtype::kFloat32 ? 4 : 2;
  for (std::size_t at = 0; at < n; at += tile.size()) {
    const std::size_t count = std::min(tile.size(), n - at);
    Widen(dtype, static_cast<const char*>(in) + size * at, tile.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      if (!std::isfinite(tile[i])) return false;
    }
  }
  return true;
}

}  // namespace opledger::arithmetic
