// Vectorized loops over arrays from which kernels are built, and casts between float types. In:
// arrays of float32 or 16-bit floats; out: an array, or one value. The loops (*_bodies.h) are
// compiled once per instruction set, with the flags in CMakeLists.txt. Every instruction set gives
// the same bits, except for products (see ProductLoops).
//   Apply(Unary::kExp, in, out, n);  Rows().sum(x, n);
// May include: conversion/model/half, kernels/arithmetic/elementary, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>

#include "conversion/model/half/vector_instructions.h"
#include "kernels/arithmetic/loops/unary_list.h"

namespace opledger::arithmetic {

enum class Unary {
#define OPLEDGER_ENUMERATOR(function, ulp) k##function,
  OPLEDGER_UNARY_LIST(OPLEDGER_ENUMERATOR)
#undef OPLEDGER_ENUMERATOR
};
#define OPLEDGER_LISTED(function, ulp) Unary::k##function,
inline constexpr Unary kAllUnaries[] = {OPLEDGER_UNARY_LIST(OPLEDGER_LISTED)};
#undef OPLEDGER_LISTED
inline constexpr std::size_t kUnaries = std::size(kAllUnaries);

const char* UnaryName(Unary function);  // as in elementary.h: "Exp"

// Returns the largest error over all arguments, in units in the last place.
double UlpBound(Unary function);

// Gives the same bits as the scalar function of elementary.h.
using UnaryLoop = void (*)(const float* in, float* out, std::size_t n);

enum class Pair { kAdd, kSub, kMul, kDiv, kMax, kMin };
inline constexpr std::size_t kPairs = 6;

// The range of an 8-bit type, and a zero point in it.
struct ByteRange {
  float zero;  // the value that 0 becomes
  float least;
  float greatest;
};

struct RowLoops {
  using PairLoop = void (*)(const float* a, const float* b, float* out, std::size_t n);
  // All loops take n elements. An output row is one of the input rows or overlaps none of them.
  //
  // out = a op b, by Pair; second index: 0 both are rows, 1 b is a scalar, 2 a is a scalar. Maximum
  // and minimum follow IEEE 754-2019: NaN if either is NaN, and -0 is less than +0.
  PairLoop pairs[kPairs][3];
  // In the order of additions that kernels/cpu/reduce/reduce.h defines. If n is 0, sum is 0 and max
  // is -infinity.
  float (*sum)(const float* x, std::size_t n);
  float (*max)(const float* x, std::size_t n);
  float (*sum_of_squares)(const float* x, float mean, std::size_t n);  // of x - mean
  // out = (x - mean) * inverse * scale + shift; scale or shift may be nullptr.
  void (*normalise)(const float* x, float mean, float inverse, const float* scale,
                    const float* shift, float* out, std::size_t n);
  // out = (x - mean) * factor + shift, element by element.
  void (*affine)(const float* x, const float* mean, const float* factor, const float* shift,
                 float* out, std::size_t n);
  // Rounds to values of the type in place; same bits as a cast there and back.
  void (*round_to_float16)(float* x, std::size_t n);
  void (*round_to_bfloat16)(float* x, std::size_t n);
  // The first four pairs, with results rounded to float16 ([0]) or bfloat16 ([1]).
  PairLoop rounded_pairs[2][4][3];
  // out = x ^ exponent, with the bits of Pow in elementary.h.
  void (*power)(const float* x, float exponent, float* out, std::size_t n);
  // out[j] = the sum over i of rows[i][j], starting at 0, in the order of i; and their maximum.
  // `out` may be the first of the rows but none of the others.
  using ReductionLoop = void (*)(const float* const* rows, std::size_t count, float* out,
                                 std::size_t n);
  ReductionLoop sum_of_rows;
  ReductionLoop max_of_rows;
  // out = x if x is not negative, otherwise factor * x.
  void (*leaky)(const float* x, float factor, float* out, std::size_t n);
  // out = x clamped to the bounds. A NaN stays NaN; a bound that is NaN is ignored.
  void (*clip)(const float* x, float min, float max, float* out, std::size_t n);
  // Lowers *least and raises *greatest to include all elements. NaN elements are ignored.
  void (*range)(const float* x, std::size_t n, float* least, float* greatest);
  // Quantizes to 8 bits: x / scale, or sums times one factor or one per element, rounded to the
  // nearest integer, ties to even, plus range.zero, clamped to [least, greatest]. NaN becomes
  // least.
  void (*quantise)(const float* x, float scale, const ByteRange& range, std::uint8_t* out,
                   std::size_t n);
  void (*requantise[2])(const std::int32_t* sums, const float* factors, const ByteRange& range,
                        std::uint8_t* out, std::size_t n);
  // out = (x - zero) * scale, for unsigned ([0]) and signed bytes ([1]).
  void (*dequantise[2])(const std::uint8_t* x, float scale, float zero, float* out, std::size_t n);
  // out = in, rounded to float32.
  void (*from_int32)(const std::int32_t* in, float* out, std::size_t n);
  // Returns whether n float32, float16 or bfloat16 elements of any alignment are finite.
  bool (*float32_finite)(const char* in, std::size_t n);
  bool (*float16_finite)(const char* in, std::size_t n);
  bool (*bfloat16_finite)(const char* in, std::size_t n);
};

// The left factor is stored in rows of at most kProductDepth elements, kProductRowStep elements
// apart. The step is not a power of two, so that rows do not compete for the same cache lines.
inline constexpr std::size_t kProductDepth = 256;
inline constexpr std::size_t kProductRowStep = kProductDepth + 16;
inline constexpr std::size_t kMaxProductRows = 14;

// Every sum is in the order of k, whatever the tile. AVX2 and AVX-512 round a product and its
// addition once and give the same bits; the portable loops round twice.
struct ProductLoops {
  // c[i][j] = sum over k < depth of a[i][k] * b[k][j], added to c[i][j] if `adds`. Rows of c are
  // c_step elements apart, rows of b `columns`; c is written in whole vectors.
  using Tile = void (*)(std::size_t depth, const float* a, const float* b, float* c,
                        std::size_t c_step, bool adds);
  std::size_t rows;     // of the largest tile; tiles[r - 1] has r rows
  std::size_t columns;  // of the widest tiles, tiles[][1]; tiles[][0] have half as many
  Tile tiles[kMaxProductRows][2];
  // out[j] = sum over t < taps of in[t][j] * weights[t * step + j], j < n
  void (*by_channel)(std::size_t taps, const float* const* in, const float* weights,
                     std::size_t step, float* out, std::size_t n);
};

// Weights as models store them. A zero point is subtracted from integers. Signed integers and their
// zero points are stored with an offset that makes them unsigned.
enum class WeightFormat : std::uint8_t { kUint4, kUint8, kFloat8E4M3, kFloat8E5M2 };
inline constexpr std::size_t kWeightFormats = 4;

// As many columns of a right factor as ProductLoops::columns. A weight has the value (weight -
// zero) * scale, with a zero and a scale for each column and each `block` rows of it.
struct WeightPanel {
  // 8 bits: the rows of the panel. 4 bits: eight rows at a time, in the order of NibbleByte.
  const std::uint8_t* weights;
  const std::uint8_t* zeros;  // one row of the panel per block; nullptr: all are `zero`
  const float* scales;        // also one row per block
  std::size_t inner;          // a multiple of kPanelDepth
  std::size_t block;          // a multiple of 16, or at least `inner`
  std::uint8_t zero;
};
inline constexpr std::size_t kPanelDepth = 32;

// Returns the byte of a panel that holds row k of a column: in its low four bits if k % 8 < 4.
constexpr std::size_t NibbleByte(std::size_t k, std::size_t column, std::size_t columns) {
  return (k / 8 * columns + column) * 4 + k % 4;
}

// Rows of a left factor as bytes with one scale per kPanelDepth elements. The first kPanelDepth
// elements of all rows come first, then the next.
struct QuantisedRows {
  const std::int8_t* bytes;
  const float* scales;  // one for each kPanelDepth bytes
  const float* totals;  // sums of the bytes, one for each kPanelDepth
};

// Products of 16-bit integers, summed in 32 bits with wraparound: exact.
struct IntegerLoops {
  // c[i][j] = sum over k < 2 * pairs of a[i][k] * b[k][j], added to c[i][j] if `adds`. Rows of a
  // and c are a_step and c_step elements apart; b interleaves two rows of `columns` elements each;
  // c is written in whole tiles.
  using Tile = void (*)(std::size_t pairs, const std::int16_t* a, std::size_t a_step,
                        const std::int16_t* b, std::uint32_t* c, std::size_t c_step, bool adds);
  std::size_t rows;     // of the largest tile; tiles[r - 1] has r rows
  std::size_t columns;  // of every tile
  Tile tiles[kMaxProductRows];
  // Interleaves two rows, as tiles read them: out[2 * i] = first[i], out[2 * i + 1] = second[i].
  void (*pair_rows)(const std::int16_t* first, const std::int16_t* second, std::int16_t* out,
                    std::size_t n);
  // out[j] = start + sum over t < 2 * pairs of rows[t][j] * weights[t], j < n. Rows are read and
  // `out` is written in multiples of `columns` elements.
  void (*taps)(std::size_t pairs, const std::int16_t* const* rows, const std::int16_t* weights,
               std::uint32_t start, std::uint32_t* out, std::size_t n);
  // out = in - zero
  void (*subtract_from_uint8)(const std::uint8_t* in, std::int32_t zero, std::int16_t* out,
                              std::size_t n);
  void (*subtract_from_int8)(const std::int8_t* in, std::int32_t zero, std::int16_t* out,
                             std::size_t n);
  // Computes a row of sums per quantized row: its products with a panel of kUint4, whose `block` is
  // a multiple of kPanelDepth.
  void (*nibbles)(const WeightPanel& panel, std::size_t rows, const QuantisedRows& a, float* sums);
};

struct WeightLoops {
  // Converts rows `begin` to `end` of a panel, multiples of 8, to float32.
  void (*widen[kWeightFormats])(const WeightPanel& panel, std::size_t begin, std::size_t end,
                                float* out);
  // sums[j] = the sum over k of a[k] * panel[k][j]
  void (*row[kWeightFormats])(const WeightPanel& panel, const float* a, float* sums);
};

struct Loops {
  UnaryLoop unary[kUnaries];  // by Unary
  RowLoops rows;
  ProductLoops products;
  IntegerLoops integers;
  WeightLoops weights;
};

// nullptr if the instruction set was not compiled in for this processor family.
const Loops* PortableLoops();
const Loops* Avx2Loops();
const Loops* Avx512Loops();
const IntegerLoops* VnniIntegerLoops();

// Loops of one instruction set, which the machine must support; and of the widest set.
const Loops& LoopsOf(VectorInstructions set);
const Loops& WidestLoops();

inline const RowLoops& Rows() { return WidestLoops().rows; }
inline const ProductLoops& Products() { return WidestLoops().products; }
inline const WeightLoops& Weights() { return WidestLoops().weights; }
// Uses VNNI if the widest set is AVX-512 and the machine has it.
const IntegerLoops& Integers();

// out[i] = function(in[i]) or a[i] op b[i] for i < n. `in` and `out` need no alignment; they are
// the same array or do not overlap. Allocates nothing; thread-safe.
inline void Apply(Unary function, const float* in, float* out, std::size_t n) {
  WidestLoops().unary[static_cast<std::size_t>(function)](in, out, n);
}
inline void Apply(Pair pair, const float* a, const float* b, float* out, std::size_t n) {
  Rows().pairs[static_cast<std::size_t>(pair)][0](a, b, out, n);
}
inline void Apply(Pair pair, const float* a, float b, float* out, std::size_t n) {
  Rows().pairs[static_cast<std::size_t>(pair)][1](a, &b, out, n);
}

}  // namespace opledger::arithmetic
