// Casts, using the converter's loops (conversion/model/half/half.h).
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/cast.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "conversion/model/half/half.h"
#include "kernels/arithmetic/loops/loops.h"

namespace opledger::arithmetic {
namespace {

void RequireFloat(Dtype dtype) {
  if (dtype == Dtype::kFloat32 || dtype == Dtype::kFloat16 || dtype == Dtype::kBfloat16) return;
  std::fprintf(stderr, "arithmetic/cast: kernels do not compute with %s\n", DtypeName(dtype));
  std::abort();
}

}  // namespace

void Upcast(Dtype from, const void* in, float* out, std::size_t n) {
  RequireFloat(from);
  if (n == 0) return;
  if (from == Dtype::kFloat32) {
    std::memmove(out, in, n * sizeof(float));
  } else {
    UpcastFloats(static_cast<const char*>(in), n, from, reinterpret_cast<char*>(out));
  }
}

void Downcast(const float* in, Dtype to, void* out, std::size_t n) {
  RequireFloat(to);
  if (n == 0) return;
  if (to == Dtype::kFloat32) {
    std::memmove(out, in, n * sizeof(float));
  } else {
    ConvertFloats(reinterpret_cast<const char*>(in), n, to, static_cast<char*>(out));
  }
}

void DowncastRaised(const float* in, Dtype to, void* out, std::size_t n) {
  RequireFloat(to);
  if (n != 0) ConvertRaised(reinterpret_cast<const char*>(in), n, to, static_cast<char*>(out));
}

void Cast(Dtype from, const void* in, Dtype to, void* out, std::size_t n) {
  RequireFloat(to);
  if (from == to || to == Dtype::kFloat32) {
    const std::size_t size = from == Dtype::kFloat32 ? 4 : 2;
    if (from == to && n != 0) {
      std::memmove(out, in, n * size);
    } else {
      Upcast(from, in, static_cast<float*>(out), n);
    }
    return;
  }
  if (from == Dtype::kFloat32) return Downcast(static_cast<const float*>(in), to, out, n);
  RequireFloat(from);
  ExchangeHalves(static_cast<const char*>(in), n, from, static_cast<char*>(out));
}

void RoundTo(Dtype to, float* numbers, std::size_t n) {
  RequireFloat(to);
  if (to == Dtype::kFloat32) return;
  (to == Dtype::kFloat16 ? Rows().round_to_float16 : Rows().round_to_bfloat16)(numbers, n);
}

bool AllFinite(Dtype dtype, const void* in, std::size_t n) {
  RequireFloat(dtype);
  const RowLoops& rows = Rows();
  const auto loop = dtype == Dtype::kFloat32   ? rows.float32_finite
                    : dtype == Dtype::kFloat16 ? rows.float16_finite
                                               : rows.bfloat16_finite;
  const auto* bytes = static_cast<const char*>(in);
  const std::size_t size = dtype == Dtype::kFloat32 ? 4 : 2;
  constexpr std::size_t kBlock = 1024;
  for (std::size_t at = 0; at < n; at += kBlock) {
    // The block after next may be beyond the array; prefetching it is harmless.
    const auto ahead = reinterpret_cast<std::uintptr_t>(bytes) + size * (at + 2 * kBlock);
    for (std::size_t line = 0; line < size * kBlock; line += 64) {
      __builtin_prefetch(reinterpret_cast<const void*>(ahead + line));
    }
    if (!loop(bytes + size * at, std::min(kBlock, n - at))) return false;
  }
  return true;
}

}  // namespace opledger::arithmetic
