// Loops over arrays that kernels are made of, by the widest vector instructions the machine has,
// and casts between float types. In: arrays of float32 or 16-bit floats; out: an array, or one
// number. One text (the *_bodies.h), compiled once per instruction set with the flags of
// CMakeLists.txt. Every instruction set gives the same bits, but for products (see there).
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

// The largest error over all arguments, in units of the last place.
double UlpBound(Unary function);

// The bits that the scalar function of elementary.h gives.
using UnaryLoop = void (*)(const float* in, float* out, std::size_t n);

enum class Pair { kAdd, kSub, kMul, kDiv, kMax, kMin };
inline constexpr std::size_t kPairs = 6;

// n numbers each. A row that is written is none of those read, or the very same.
// Integers of 8 bits that numbers become.
struct ByteRange {
  float zero;  // what 0 becomes
  float least;
  float greatest;
};

struct RowLoops {
  using PairLoop = void (*)(const float* a, const float* b, float* out, std::size_t n);
  // out = a op b, by Pair; second index: 0 both are rows, 1 b is one number, 2 a is one number.
  // Maximum and minimum as IEEE 754-2019 has them: a NaN wins, -0 is less than +0.
  PairLoop pairs[kPairs][3];
  // In the order of kernels/cpu/reduce/reduce.h. Of no numbers 0 and -infinity.
  float (*sum)(const float* x, std::size_t n);
  float (*max)(const float* x, std::size_t n);
  float (*sum_of_squares)(const float* x, float mean, std::size_t n);  // of x - mean
  // out = (x - mean) * inverse * scale + shift; scale or shift may be nullptr.
  void (*normalise)(const float* x, float mean, float inverse, const float* scale,
                    const float* shift, float* out, std::size_t n);
  // out = (x - mean) * factor + shift, number by number.
  void (*affine)(const float* x, const float* mean, const float* factor, const float* shift,
                 float* out, std::size_t n);
  // Rounded to the numbers that the type has, in place: the bits of a cast there and back.
  void (*round_to_float16)(float* x, std::size_t n);
  void (*round_to_bfloat16)(float* x, std::size_t n);
  // As pairs, of the first four, and so rounded: to float16, to bfloat16.
  PairLoop rounded_pairs[2][4][3];
  // out = x ^ exponent, as Pow of elementary.h.
  void (*power)(const float* x, float exponent, float* out, std::size_t n);
  // out[j] = the sum over i of rows[i][j], begun with 0, in the order of i; and their maximum. Of
  // the rows the first alone may be where out is.
  using ReductionLoop = void (*)(const float* const* rows, std::size_t count, float* out,
                                 std::size_t n);
  ReductionLoop sum_of_rows;
  ReductionLoop max_of_rows;
  // out = x where it is not below 0, else factor * x.
  void (*leaky)(const float* x, float factor, float* out, std::size_t n);
  // out = x within its bounds; a NaN stays one, and a bound that is one bounds nothing.
  void (*clip)(const float* x, float min, float max, float* out, std::size_t n);
  // The least and the greatest number, or what is there already; a NaN is neither.
  void (*range)(const float* x, std::size_t n, float* least, float* greatest);
  // out = x / scale, or sums times one factor or a factor each, rounded to the nearest integer,
  // ties to even, plus zero, cut to the numbers from least to greatest: 8 bits. A NaN is the least.
  void (*quantise)(const float* x, float scale, const ByteRange& range, std::uint8_t* out,
                   std::size_t n);
  void (*requantise[2])(const std::int32_t* sums, const float* factors, const ByteRange& range,
                        std::uint8_t* out, std::size_t n);
  // out = (x - zero) * scale, of bytes without and with a sign.
  void (*dequantise[2])(const std::uint8_t* x, float scale, float zero, float* out, std::size_t n);
  void (*from_int32)(const std::int32_t* in, float* out, std::size_t n);
  // Whether n float32, float16 or bfloat16 of any alignment are finite.
  bool (*float32_finite)(const char* in, std::size_t n);
  bool (*float16_finite)(const char* in, std::size_t n);
  bool (*bfloat16_finite)(const char* in, std::size_t n);
};

// A factor on the left stands in rows of at most kProductDepth numbers, kProductRowStep numbers
// from each other: no power of two, so that rows do not fight for the same lines of a cache.
inline constexpr std::size_t kProductDepth = 256;
inline constexpr std::size_t kProductRowStep = kProductDepth + 16;
inline constexpr std::size_t kMaxProductRows = 14;

// Every sum goes in the order of k, whatever the tile; AVX2 and AVX-512 round once for a product
// and its sum and give the same bits, the portable loops round twice.
struct ProductLoops {
  // c[i][j] = sum over k < depth of a[i][k] * b[k][j], or that added to what is there. Rows of c
  // are c_step numbers from each other, those of b `columns`; c is written in whole vectors.
  using Tile = void (*)(std::size_t depth, const float* a, const float* b, float* c,
                        std::size_t c_step, bool adds);
  std::size_t rows;     // of the largest tile: tiles[r - 1] has r of them
  std::size_t columns;  // of the widest, tiles[][1]; tiles[][0] has half as many
  Tile tiles[kMaxProductRows][2];
  // out[j] = sum over t < taps of in[t][j] * weights[t * step + j], j < n
  void (*by_channel)(std::size_t taps, const float* const* in, const float* weights,
                     std::size_t step, float* out, std::size_t n);
};

// Weights as a model stores them. Of integers a zero point is subtracted; those with a sign are
// stored without one, and their zero point likewise.
enum class WeightFormat : std::uint8_t { kUint4, kUint8, kFloat8E4M3, kFloat8E5M2 };
inline constexpr std::size_t kWeightFormats = 4;

// As many columns of a right factor as ProductLoops::columns. A weight stands for (weight - zero) *
// scale, with a zero and a scale for each column and each `block` numbers of it.
struct WeightPanel {
  // Of 8 bits, the rows of the panel. Of 4 bits, eight rows at a time, by NibbleByte.
  const std::uint8_t* weights;
  const std::uint8_t* zeros;  // rows of the panel, one for each block; nullptr: all are `zero`
  const float* scales;        // likewise
  std::size_t inner;          // a multiple of kPanelDepth
  std::size_t block;          // a multiple of 16, or at least `inner`
  std::uint8_t zero;
};
inline constexpr std::size_t kPanelDepth = 32;

// The byte of a panel that holds number k of a column: in its low four bits if k % 8 < 4.
constexpr std::size_t NibbleByte(std::size_t k, std::size_t column, std::size_t columns) {
  return (k / 8 * columns + column) * 4 + k % 4;
}

// Rows of a left factor as bytes with a scale for each kPanelDepth numbers, which are together:
// first those of all rows, then the next.
struct QuantisedRows {
  const std::int8_t* bytes;
  const float* scales;  // one for each kPanelDepth bytes
  const float* totals;  // likewise: the sum of the bytes
};

// Products of 16-bit integers, added up in 32 bits, which wrap around: exact.
struct IntegerLoops {
  // c[i][j] = sum over k < 2 * pairs of a[i][k] * b[k][j], or that added to what is there. Rows of
  // a and c are a_step and c_step numbers from each other; b has two rows of `columns` beside each
  // other, number by number; c is written in whole tiles.
  using Tile = void (*)(std::size_t pairs, const std::int16_t* a, std::size_t a_step,
                        const std::int16_t* b, std::uint32_t* c, std::size_t c_step, bool adds);
  std::size_t rows;     // of the largest tile: tiles[r - 1] has r of them
  std::size_t columns;  // of every tile
  Tile tiles[kMaxProductRows];
  // Two rows as a tile reads them: out[2 * i] = first[i], out[2 * i + 1] = second[i].
  void (*pair_rows)(const std::int16_t* first, const std::int16_t* second, std::int16_t* out,
                    std::size_t n);
  // out[j] = start + sum over t < 2 * pairs of rows[t][j] * weights[t], j < n. Rows are read, and
  // `out` is written, in whole multiples of `columns`.
  void (*taps)(std::size_t pairs, const std::int16_t* const* rows, const std::int16_t* weights,
               std::uint32_t start, std::uint32_t* out, std::size_t n);
  // out = in - zero
  void (*subtract_from_uint8)(const std::uint8_t* in, std::int32_t zero, std::int16_t* out,
                              std::size_t n);
  void (*subtract_from_int8)(const std::int8_t* in, std::int32_t zero, std::int16_t* out,
                             std::size_t n);
  // Rows of sums, one for each quantised row: of its products with a panel of kUint4, whose blocks
  // are multiples of kPanelDepth.
  void (*nibbles)(const WeightPanel& panel, std::size_t rows, const QuantisedRows& a, float* sums);
};

struct WeightLoops {
  // Rows `begin` to `end` of a panel, multiples of 8, as float32.
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

// nullptr: the set is not compiled for this processor's family.
const Loops* PortableLoops();
const Loops* Avx2Loops();
const Loops* Avx512Loops();
const IntegerLoops* VnniIntegerLoops();

// Of one set, which the machine has to run; and of the widest.
const Loops& LoopsOf(VectorInstructions set);
const Loops& WidestLoops();

inline const RowLoops& Rows() { return WidestLoops().rows; }
inline const ProductLoops& Products() { return WidestLoops().products; }
inline const WeightLoops& Weights() { return WidestLoops().weights; }
// With VNNI, too, where the widest set is AVX-512.
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
