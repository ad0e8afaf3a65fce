// The loops over rows, compiled once for each instruction set (loop_table.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__AVX512F__) || defined(__F16C__)
#include <immintrin.h>
#endif

#include "conversion/model/half/half_bits.h"
#include "kernels/arithmetic/elementary/float_bits.h"
#include "kernels/arithmetic/elementary/power.h"
#include "kernels/arithmetic/loops/loops.h"

// A row may be written in place; no element depends on another.
#if defined(__clang__)
#define OPLEDGER_EACH _Pragma("clang loop vectorize(assume_safety)")
#else
#define OPLEDGER_EACH _Pragma("GCC ivdep")
#endif

namespace opledger::arithmetic {

static inline float AddPair(float a, float b) { return a + b; }
static inline float SubPair(float a, float b) { return a - b; }
static inline float MulPair(float a, float b) { return a * b; }
static inline float DivPair(float a, float b) { return a / b; }
// Equal values have equal bits, except for zeros. NaN is not propagated by adding: the sum of two
// subnormals is slow even if it is not selected.
static inline float MaxPair(float a, float b) {
  const float max = a < b ? b : a;
  const float all = a == b ? FromBits(Bits(a) & Bits(b)) : max;
  return a != a ? a : b != b ? b : all;
}
static inline float MinPair(float a, float b) {
  const float min = b < a ? b : a;
  const float all = a == b ? FromBits(Bits(a) | Bits(b)) : min;
  return a != a ? a : b != b ? b : all;
}

#define OPLEDGER_PAIR_LOOPS(name)                                                         \
  static void name##Rows(const float* a, const float* b, float* out, std::size_t n) {     \
    OPLEDGER_EACH                                                                         \
    for (std::size_t i = 0; i < n; ++i) out[i] = name##Pair(a[i], b[i]);                  \
  }                                                                                       \
  static void name##ByNumber(const float* a, const float* b, float* out, std::size_t n) { \
    const float one = *b;                                                                 \
    OPLEDGER_EACH                                                                         \
    for (std::size_t i = 0; i < n; ++i) out[i] = name##Pair(a[i], one);                   \
  }                                                                                       \
  static void name##OfNumber(const float* a, const float* b, float* out, std::size_t n) { \
    const float one = *a;                                                                 \
    OPLEDGER_EACH                                                                         \
    for (std::size_t i = 0; i < n; ++i) out[i] = name##Pair(one, b[i]);                   \
  }
OPLEDGER_PAIR_LOOPS(Add)
OPLEDGER_PAIR_LOOPS(Sub)
OPLEDGER_PAIR_LOOPS(Mul)
OPLEDGER_PAIR_LOOPS(Div)
OPLEDGER_PAIR_LOOPS(Max)
OPLEDGER_PAIR_LOOPS(Min)

// Rounds to values of a 16-bit type. The processor's conversions give the same bits as half_bits.h.
struct ToFloat16Numbers {
  static float One(float x) { return FromFloat16(ToFloat16(x)); }
#if defined(__AVX512F__)
  using Block = __m512;
  static Block Load(const float* x) { return _mm512_loadu_ps(x); }
  static Block All(float x) { return _mm512_set1_ps(x); }
  static void Store(Block block, float* x) {
    constexpr __mmask16 kAll = 0xffff;  // without a mask, GCC 12 warns about uninitialized values
    const __m256i halves = _mm512_maskz_cvtps_ph(kAll, block, _MM_FROUND_TO_NEAREST_INT);
    _mm512_storeu_ps(x, _mm512_maskz_cvtph_ps(kAll, halves));
  }
#elif defined(__F16C__)
  using Block = __m256;
  static Block Load(const float* x) { return _mm256_loadu_ps(x); }
  static Block All(float x) { return _mm256_set1_ps(x); }
  static void Store(Block block, float* x) {
    const __m128i halves = _mm256_cvtps_ph(block, _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_ps(x, _mm256_cvtph_ps(halves));
  }
#endif
};

struct ToBfloat16Numbers {
  static float One(float x) { return FromBfloat16(ToBfloat16(x)); }
};

struct SumOfBoth {
  template <typename T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct DifferenceOfBoth {
  template <typename T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct ProductOfBoth {
  template <typename T>
  T operator()(T a, T b) const {
    return a * b;
  }
};
struct QuotientOfBoth {
  template <typename T>
  T operator()(T a, T b) const {
    return a / b;
  }
};

// out = a op b, rounded; kOne: 0 both are rows, 1 b is a scalar, 2 a is a scalar.
template <typename Rounding, typename Operation, int kOne>
static void RoundedPair(const float* a, const float* b, float* out, std::size_t n) {
  constexpr Operation kOperation{};
  const float first = *a, second = *b;  // `out` may be where the scalar is
  std::size_t i = 0;
  if constexpr (requires { typename Rounding::Block; }) {
    using Block = typename Rounding::Block;
    constexpr std::size_t kWidth = sizeof(Block) / sizeof(float);
    for (; i + kWidth <= n; i += kWidth) {
      const Block left = kOne == 2 ? Rounding::All(first) : Rounding::Load(a + i);
      const Block right = kOne == 1 ? Rounding::All(second) : Rounding::Load(b + i);
      Rounding::Store(kOperation(left, right), out + i);
    }
  }
  OPLEDGER_EACH
  for (std::size_t k = i; k < n; ++k) {
    out[k] = Rounding::One(kOperation(kOne == 2 ? first : a[k], kOne == 1 ? second : b[k]));
  }
}

template <typename Rounding>
static void RoundRow(float* x, std::size_t n) {
  std::size_t i = 0;
  if constexpr (requires { typename Rounding::Block; }) {
    constexpr std::size_t kWidth = sizeof(typename Rounding::Block) / sizeof(float);
    for (; i + kWidth <= n; i += kWidth) Rounding::Store(Rounding::Load(x + i), x + i);
  }
  OPLEDGER_EACH
  for (std::size_t k = i; k < n; ++k) x[k] = Rounding::One(x[k]);
}

// Reduces a row as kernels/cpu/reduce/reduce.h does, with the partial results in vectors.
template <typename Map, typename Reduce>
static inline float ReduceRow(const float* x, std::size_t n, float start, Map map, Reduce reduce) {
  constexpr std::size_t kWidth = 32;
  if (n == 0) return start;
  float partial[kWidth];
  const std::size_t used = n < kWidth ? n : kWidth;
  for (std::size_t i = 0; i < used; ++i) partial[i] = map(x[i]);
  std::size_t at = kWidth;
  for (; at + kWidth <= n; at += kWidth) {
    for (std::size_t i = 0; i < kWidth; ++i) partial[i] = reduce(partial[i], map(x[at + i]));
  }
  for (std::size_t i = 0; at + i < n; ++i) partial[i] = reduce(partial[i], map(x[at + i]));
  for (std::size_t half = kWidth / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half && i + half < used; ++i) {
      partial[i] = reduce(partial[i], partial[i + half]);
    }
  }
  return partial[0];
}

static float SumRow(const float* x, std::size_t n) {
  return ReduceRow(
      x, n, 0.0F, [](float value) { return value; }, AddPair);
}

static float MaxRow(const float* x, std::size_t n) {
  return ReduceRow(
      x, n, -__builtin_inff(), [](float value) { return value; }, MaxPair);
}

static float SumOfSquaresRow(const float* x, float mean, std::size_t n) {
  return ReduceRow(
      x, n, 0.0F, [mean](float value) { return (value - mean) * (value - mean); }, AddPair);
}

static void NormaliseRow(const float* x, float mean, float inverse, const float* scale,
                         const float* shift, float* out, std::size_t n) {
  OPLEDGER_EACH
  for (std::size_t i = 0; i < n; ++i) out[i] = (x[i] - mean) * inverse;
  if (scale != nullptr) MulRows(out, scale, out, n);
  if (shift != nullptr) AddRows(out, shift, out, n);
}

static void AffineRow(const float* x, const float* mean, const float* factor, const float* shift,
                      float* out, std::size_t n) {
  OPLEDGER_EACH
  for (std::size_t i = 0; i < n; ++i) out[i] = (x[i] - mean[i]) * factor[i] + shift[i];
}

static void PowerRow(const float* x, float exponent, float* out, std::size_t n) {
  const PowExponent known = ExponentOf(exponent);
  OPLEDGER_EACH
  for (std::size_t i = 0; i < n; ++i) out[i] = PowOf(x[i], known);
}

// Columns that stay in registers over all rows. Uses the compiler's vector types, since it does not
// vectorize loops of so few steps.
template <std::size_t kColumns>
struct ColumnBlock {
  // No aliases by `using`: g++ drops the attribute from those in a template.
  typedef float Floats __attribute__((vector_size(sizeof(float) * kColumns)));
  typedef std::int32_t Masks __attribute__((vector_size(sizeof(float) * kColumns)));
};

template <bool kMax, std::size_t kBlocks, std::size_t kColumns>
static inline void ReduceBlocks(const float* const* rows, std::size_t count, std::size_t at,
                                float* out) {
  using FloatBlock = typename ColumnBlock<kColumns>::Floats;
  using MaskBlock = typename ColumnBlock<kColumns>::Masks;
  const FloatBlock infinite = FloatBlock{} + __builtin_inff();
  FloatBlock result[kBlocks];
  for (FloatBlock& each : result) each = kMax ? -infinite : FloatBlock{};
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t b = 0; b < kBlocks; ++b) {
      FloatBlock x;
      __builtin_memcpy(&x, rows[i] + at + b * kColumns, sizeof(x));
      if constexpr (!kMax) {
        result[b] += x;
      } else {  // MaxPair
        const auto old = reinterpret_cast<MaskBlock>(result[b]);
        const auto add = reinterpret_cast<MaskBlock>(x);
        const MaskBlock less = result[b] < x;
        const MaskBlock same = result[b] == x;
        const MaskBlock old_is_number = result[b] <= infinite;
        const MaskBlock add_is_number = x <= infinite;
        MaskBlock max = (less & add) | (~less & old);
        max = (same & old & add) | (~same & max);
        max = (~add_is_number & add) | (add_is_number & max);
        max = (~old_is_number & old) | (old_is_number & max);
        result[b] = reinterpret_cast<FloatBlock>(max);
      }
    }
  }
  __builtin_memcpy(out + at, result, sizeof(result));
}

// Blocks up to the end of n columns. The last block overlaps the one before it, so `out` must not
// be one of the rows.
template <bool kMax, std::size_t kColumns>
static void ReduceToEnd(const float* const* rows, std::size_t count, std::size_t at, std::size_t n,
                        float* out) {
  for (; at + kColumns <= n; at += kColumns) {
    ReduceBlocks<kMax, 1, kColumns>(rows, count, at, out);
  }
  if (at < n) ReduceBlocks<kMax, 1, kColumns>(rows, count, n - kColumns, out);
}

// Elements in a vector of the machine. Comparisons of wider vectors are compiled element by
// element.
#if defined(__AVX512F__)
inline constexpr std::size_t kVectorColumns = 16;
#elif defined(__AVX__)
inline constexpr std::size_t kVectorColumns = 8;
#else
inline constexpr std::size_t kVectorColumns = 4;
#endif

template <bool kMax>
static void ReduceRows(const float* const* rows, std::size_t count, float* out, std::size_t n) {
  std::size_t at = 0;
  for (; at + 4 * kVectorColumns <= n; at += 4 * kVectorColumns) {
    ReduceBlocks<kMax, 4, kVectorColumns>(rows, count, at, out);
  }
  const bool apart = count == 0 || rows[0] != out;
  if (apart && n >= kVectorColumns)
    return ReduceToEnd<kMax, kVectorColumns>(rows, count, at, n, out);
  if (apart && kVectorColumns > 8 && n >= 8) return ReduceToEnd<kMax, 8>(rows, count, at, n, out);
  if (apart && n >= 4) return ReduceToEnd<kMax, 4>(rows, count, at, n, out);
  for (; at + kVectorColumns <= n; at += kVectorColumns)
    ReduceBlocks<kMax, 1, kVectorColumns>(rows, count, at, out);
  for (; at < n; ++at) {
    float result = kMax ? -__builtin_inff() : 0.0F;
    for (std::size_t i = 0; i < count; ++i) {
      result = kMax ? MaxPair(result, rows[i][at]) : AddPair(result, rows[i][at]);
    }
    out[at] = result;
  }
}

static void LeakyRow(const float* x, float factor, float* out, std::size_t n) {
  OPLEDGER_EACH
  for (std::size_t i = 0; i < n; ++i) {
    const float scaled = factor * x[i];
    out[i] = x[i] < 0 ? scaled : x[i];
  }
}

static void ClipRow(const float* x, float min, float max, float* out, std::size_t n) {
  OPLEDGER_EACH
  for (std::size_t i = 0; i < n; ++i) {
    const float raised = x[i] < min ? min : x[i];
    out[i] = max < raised ? max : raised;
  }
}

// Returns whether no exponent is all ones. No early exit, which would prevent vectorization.
template <typename Word, Word kExponent>
static bool Finite(const char* in, std::size_t n) {
  Word found = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Word word = 0;
    __builtin_memcpy(&word, in + sizeof(Word) * i, sizeof(Word));
    found |= static_cast<Word>((word & kExponent) == kExponent ? 1 : 0);
  }
  return found == 0;
}

static void RangeRow(const float* x, std::size_t n, float* least, float* greatest) {
  constexpr std::size_t kParts = 32;
  float low[kParts];
  float high[kParts];
  for (std::size_t j = 0; j < kParts; ++j) {
    low[j] = *least;
    high[j] = *greatest;
  }
  std::size_t i = 0;
  for (; i + kParts <= n; i += kParts) {
    OPLEDGER_EACH
    for (std::size_t j = 0; j < kParts; ++j) {
      low[j] = x[i + j] < low[j] ? x[i + j] : low[j];
      high[j] = high[j] < x[i + j] ? x[i + j] : high[j];
    }
  }
  for (; i < n; ++i) {
    low[0] = x[i] < low[0] ? x[i] : low[0];
    high[0] = high[0] < x[i] ? x[i] : high[0];
  }
  for (std::size_t j = 0; j < kParts; ++j) {
    *least = low[j] < *least ? low[j] : *least;
    *greatest = *greatest < high[j] ? high[j] : *greatest;
  }
}

// Values beyond kFar are out of range for every byte type. Adding kRounds leaves no bits for a
// fraction.
static inline std::uint8_t ByteOf(float steps, const ByteRange& range) {
  constexpr float kFar = 1 << 16;
  constexpr float kRounds = 3 << 22;
  const float above = steps > -kFar ? steps : -kFar;
  const float within = above < kFar ? above : kFar;
  const float whole = (within + kRounds) - kRounds + range.zero;
  const float cut = whole > range.least ? whole : range.least;
  return static_cast<std::uint8_t>(
      static_cast<std::int32_t>(cut < range.greatest ? cut : range.greatest));
}
static void QuantiseRow(const float* x, float scale, const ByteRange& range, std::uint8_t* out,
                        std::size_t n) {
  const ByteRange own = range;
  OPLEDGER_EACH
  for (std::size_t i = 0; i < n; ++i) out[i] = ByteOf(x[i] / scale, own);
}
template <bool kEach>
static void RequantiseRow(const std::int32_t* sums, const float* factors, const ByteRange& range,
                          std::uint8_t* out, std::size_t n) {
  const ByteRange own = range;
  const float one = *factors;
  OPLEDGER_EACH
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = ByteOf(static_cast<float>(sums[i]) * (kEach ? factors[i] : one), own);
  }
}
static void FromInt32(const std::int32_t* in, float* out, std::size_t n) {
  OPLEDGER_EACH
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(in[i]);
}
template <typename Byte>
static void DequantiseRow(const std::uint8_t* x, float scale, float zero, float* out,
                          std::size_t n) {
  OPLEDGER_EACH
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = (static_cast<float>(static_cast<Byte>(x[i])) - zero) * scale;
  }
}

#define OPLEDGER_ROUNDED(type, operation)                             \
  {                                                                   \
    RoundedPair<type, operation, 0>, RoundedPair<type, operation, 1>, \
        RoundedPair<type, operation, 2>                               \
  }
#define OPLEDGER_ALL_ROUNDED(type)                                                    \
  {                                                                                   \
    OPLEDGER_ROUNDED(type, SumOfBoth), OPLEDGER_ROUNDED(type, DifferenceOfBoth),      \
        OPLEDGER_ROUNDED(type, ProductOfBoth), OPLEDGER_ROUNDED(type, QuotientOfBoth) \
  }

static constexpr RowLoops kRowLoops = {
    {{AddRows, AddByNumber, AddOfNumber},
     {SubRows, SubByNumber, SubOfNumber},
     {MulRows, MulByNumber, MulOfNumber},
     {DivRows, DivByNumber, DivOfNumber},
     {MaxRows, MaxByNumber, MaxOfNumber},
     {MinRows, MinByNumber, MinOfNumber}},
    SumRow,
    MaxRow,
    SumOfSquaresRow,
    NormaliseRow,
    AffineRow,
    RoundRow<ToFloat16Numbers>,
    RoundRow<ToBfloat16Numbers>,
    {OPLEDGER_ALL_ROUNDED(ToFloat16Numbers), OPLEDGER_ALL_ROUNDED(ToBfloat16Numbers)},
    PowerRow,
    ReduceRows<false>,
    ReduceRows<true>,
    LeakyRow,
    ClipRow,
    RangeRow,
    QuantiseRow,
    {RequantiseRow<false>, RequantiseRow<true>},
    {DequantiseRow<std::uint8_t>, DequantiseRow<std::int8_t>},
    FromInt32,
    Finite<std::uint32_t, 0x7f800000U>,
    Finite<std::uint16_t, 0x7c00U>,
    Finite<std::uint16_t, 0x7f80U>};

}  // namespace opledger::arithmetic
