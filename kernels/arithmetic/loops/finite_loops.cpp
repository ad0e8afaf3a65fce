// One text, compiled for three instruction sets.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/finite_loops.h"

#include <cstdint>
#include <cstring>

#include "conversion/model/half/vector_instructions.h"

#if defined(__x86_64__)
#define OPLEDGER_AVX2 __attribute__((target("avx2")))
#define OPLEDGER_AVX512 __attribute__((target("avx2,avx512f,avx512bw,avx512vl")))
#else
#define OPLEDGER_AVX2
#define OPLEDGER_AVX512
#endif

namespace opledger::arithmetic {
namespace {

constexpr std::uint32_t kExponent32 = 0x7f800000U;
constexpr std::uint16_t kExponentFloat16 = 0x7c00U;
constexpr std::uint16_t kExponentBfloat16 = 0x7f80U;

template <typename Word, Word exponent>
inline __attribute__((always_inline)) bool Finite(const char* in, std::size_t n) {
  Word found = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Word word = 0;
    std::memcpy(&word, in + sizeof(Word) * i, sizeof(Word));
    found |= static_cast<Word>((word & exponent) == exponent ? 1 : 0);
  }
  return found == 0;
}

template <typename Word, Word exponent>
bool FinitePortable(const char* in, std::size_t n) {
  return Finite<Word, exponent>(in, n);
}
template <typename Word, Word exponent>
OPLEDGER_AVX2 bool FiniteAvx2(const char* in, std::size_t n) {
  return Finite<Word, exponent>(in, n);
}
template <typename Word, Word exponent>
OPLEDGER_AVX512 bool FiniteAvx512(const char* in, std::size_t n) {
  return Finite<Word, exponent>(in, n);
}

template <typename Word, Word exponent>
FiniteLoop Widest() {
  switch (WidestVectorInstructions()) {
    case VectorInstructions::kPortable:
      return FinitePortable<Word, exponent>;
    case VectorInstructions::kAvx2:
      return FiniteAvx2<Word, exponent>;
    case VectorInstructions::kAvx512:
      return FiniteAvx512<Word, exponent>;
  }
  return nullptr;
}

}  // namespace

FiniteLoop FiniteLoopOf(Dtype dtype) {
  if (dtype == Dtype::kFloat32) return Widest<std::uint32_t, kExponent32>();
  return dtype == Dtype::kFloat16 ? Widest<std::uint16_t, kExponentFloat16>()
                                  : Widest<std::uint16_t, kExponentBfloat16>();
}

}  // namespace opledger::arithmetic
