// Converts 16 elements per step. Large results bypass the caches: a normal store would first read
// the lines that it overwrites, adding half as much memory traffic again.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/half/half_vectors.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "conversion/model/half/half_bits.h"

#define OPLEDGER_AVX2 __attribute__((target("avx2,f16c")))

namespace opledger {
namespace {

// Results of at least this many bytes bypass the caches.
constexpr std::size_t kPastCaches = std::size_t{8} << 20;
// Bytes to prefetch ahead. The processor's own prefetching stops at the end of each page; without
// kAhead the cast to bfloat16 reached 0.7 of memcpy's speed, with it 0.98.
constexpr std::size_t kAhead = 4096;

struct Float16Vectors {
  OPLEDGER_AVX2 static __m128i Narrow(__m256 values) {
    return _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  OPLEDGER_AVX2 static __m256 Widen(__m128i halves) { return _mm256_cvtph_ps(halves); }
};

struct Bfloat16Vectors {
  // Rounds like ToBfloat16.
  OPLEDGER_AVX2 static __m256i Rounded(__m256 values) {
    const __m256i bits = _mm256_castps_si256(values);
    const __m256i upper = _mm256_srli_epi32(bits, 16);
    const __m256i tie = _mm256_and_si256(upper, _mm256_set1_epi32(1));
    const __m256i sum = _mm256_add_epi32(bits, _mm256_add_epi32(tie, _mm256_set1_epi32(0x7fff)));
    const __m256i nan = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
    const __m256 is_nan = _mm256_cmp_ps(values, values, _CMP_UNORD_Q);
    return _mm256_blendv_epi8(_mm256_srli_epi32(sum, 16), nan, _mm256_castps_si256(is_nan));
  }
  OPLEDGER_AVX2 static __m128i Narrow(__m256 values) {
    const __m256i rounded = Rounded(values);
    return _mm_packus_epi32(_mm256_castsi256_si128(rounded), _mm256_extracti128_si256(rounded, 1));
  }
  OPLEDGER_AVX2 static __m256 Widen(__m128i halves) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
  }
};

OPLEDGER_AVX2 __m256 LoadFloats(const char* at) {
  return _mm256_loadu_ps(reinterpret_cast<const float*>(at));
}
OPLEDGER_AVX2 __m128i LoadHalves(const char* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

// Prefetching an address beyond the array is not an error.
OPLEDGER_AVX2 void Fetch(const char* in, std::size_t offset) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(in) + offset;
  _mm_prefetch(reinterpret_cast<const char*>(address), _MM_HINT_T0);
}

// Returns the number of elements of `size` bytes before the next multiple of 32 bytes. `at` must be
// a multiple of `size`.
std::size_t BeforeAligned(const char* at, std::size_t size) {
  return (32 - reinterpret_cast<std::uintptr_t>(at) % 32) % 32 / size;
}

template <typename Vectors>
OPLEDGER_AVX2 std::size_t ConvertLoop(const char* in, std::size_t count, char* out, std::size_t i) {
  for (; i + 16 <= count; i += 16) {
    const __m128i low = Vectors::Narrow(LoadFloats(in + 4 * i));
    const __m128i high = Vectors::Narrow(LoadFloats(in + 4 * i + 32));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 2 * i), low);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 2 * i + 16), high);
  }
  return i;
}

template <typename Vectors>
OPLEDGER_AVX2 std::size_t ConvertPastCaches(const char* in, std::size_t count, char* out,
                                            std::size_t i) {
  for (; i + 16 <= count; i += 16) {
    Fetch(in, 4 * i + kAhead);
    const __m128i low = Vectors::Narrow(LoadFloats(in + 4 * i));
    const __m128i high = Vectors::Narrow(LoadFloats(in + 4 * i + 32));
    _mm_stream_si128(reinterpret_cast<__m128i*>(out + 2 * i), low);
    _mm_stream_si128(reinterpret_cast<__m128i*>(out + 2 * i + 16), high);
  }
  _mm_sfence();
  return i;
}

template <typename Vectors>
OPLEDGER_AVX2 std::size_t WidenLoop(const char* in, std::size_t count, char* out, std::size_t i) {
  for (; i + 16 <= count; i += 16) {
    const __m256 low = Vectors::Widen(LoadHalves(in + 2 * i));
    const __m256 high = Vectors::Widen(LoadHalves(in + 2 * i + 16));
    _mm256_storeu_ps(reinterpret_cast<float*>(out + 4 * i), low);
    _mm256_storeu_ps(reinterpret_cast<float*>(out + 4 * i + 32), high);
  }
  return i;
}

template <typename Vectors>
OPLEDGER_AVX2 std::size_t WidenPastCaches(const char* in, std::size_t count, char* out,
                                          std::size_t i) {
  for (; i + 16 <= count; i += 16) {
    Fetch(in, 2 * i + kAhead);
    const __m256 low = Vectors::Widen(LoadHalves(in + 2 * i));
    const __m256 high = Vectors::Widen(LoadHalves(in + 2 * i + 16));
    _mm256_stream_ps(reinterpret_cast<float*>(out + 4 * i), low);
    _mm256_stream_ps(reinterpret_cast<float*>(out + 4 * i + 32), high);
  }
  _mm_sfence();
  return i;
}

template <typename From, typename To>
OPLEDGER_AVX2 std::size_t Exchange(const char* in, std::size_t count, char* out) {
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    Fetch(in, 2 * i + kAhead);
    const __m128i low = To::Narrow(From::Widen(LoadHalves(in + 2 * i)));
    const __m128i high = To::Narrow(From::Widen(LoadHalves(in + 2 * i + 16)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 2 * i), low);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 2 * i + 16), high);
  }
  return i;
}

template <typename Vectors>
std::size_t Convert(const char* in, std::size_t count, char* out) {
  if (2 * count < kPastCaches || reinterpret_cast<std::uintptr_t>(out) % 2 != 0) {
    return ConvertLoop<Vectors>(in, count, out, 0);
  }
  char head[32];
  const std::size_t before = BeforeAligned(out, 2);
  ConvertLoop<Vectors>(in, 16, head, 0);
  std::memcpy(out, head, 2 * before);
  return ConvertPastCaches<Vectors>(in, count, out, before);
}

template <typename Vectors>
std::size_t Widen(const char* in, std::size_t count, char* out) {
  if (4 * count < kPastCaches || reinterpret_cast<std::uintptr_t>(out) % 4 != 0) {
    return WidenLoop<Vectors>(in, count, out, 0);
  }
  char head[64];
  const std::size_t before = BeforeAligned(out, 4);
  WidenLoop<Vectors>(in, 16, head, 0);
  std::memcpy(out, head, 4 * before);
  return WidenPastCaches<Vectors>(in, count, out, before);
}

}  // namespace

std::size_t ConvertByAvx2(const char* in, std::size_t count, Dtype target, char* out) {
  return target == Dtype::kFloat16 ? Convert<Float16Vectors>(in, count, out)
                                   : Convert<Bfloat16Vectors>(in, count, out);
}

std::size_t UpcastByAvx2(const char* in, std::size_t count, Dtype from, char* out) {
  return from == Dtype::kFloat16 ? Widen<Float16Vectors>(in, count, out)
                                 : Widen<Bfloat16Vectors>(in, count, out);
}

std::size_t ExchangeByAvx2(const char* in, std::size_t count, Dtype from, char* out) {
  return from == Dtype::kFloat16 ? Exchange<Float16Vectors, Bfloat16Vectors>(in, count, out)
                                 : Exchange<Bfloat16Vectors, Float16Vectors>(in, count, out);
}

}  // namespace opledger

#else

namespace opledger {

std::size_t ConvertByAvx2(const char*, std::size_t, Dtype, char*) { return 0; }
std::size_t UpcastByAvx2(const char*, std::size_t, Dtype, char*) { return 0; }
std::size_t ExchangeByAvx2(const char*, std::size_t, Dtype, char*) { return 0; }

}  // namespace opledger

#endif
