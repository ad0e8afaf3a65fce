// Reductions of rows, in the order of kernels/cpu/reduce/reduce.h. If the last dimensions are
// reduced, the 32 partial results are contiguous elements; if they are kept, they are rows.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/vector/reduce/row_groups.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

using arithmetic::Apply;
using arithmetic::Pair;
using arithmetic::Unary;

enum class Reduces { kSum, kMean, kSumSquare, kL1, kL2, kLogSum, kLogSumExp, kProd, kMax, kMin };

// The function applied to elements before they are reduced.
enum class Before { kNothing, kSquare, kAbs, kExp };

Before MapBefore(Reduces what) {
  switch (what) {
    case Reduces::kSumSquare:
    case Reduces::kL2:
      return Before::kSquare;
    case Reduces::kL1:
      return Before::kAbs;
    case Reduces::kLogSumExp:
      return Before::kExp;
    default:
      return Before::kNothing;
  }
}

Pair PairOf(Reduces what) {
  return what == Reduces::kProd  ? Pair::kMul
         : what == Reduces::kMax ? Pair::kMax
         : what == Reduces::kMin ? Pair::kMin
                                 : Pair::kAdd;
}

void Accumulate(Pair pair, const float* row, float* into, std::size_t n) {
  Apply(pair, into, row, into, n);
}

// Returns the elements to be reduced, in place or in `to`. `base`: subtracted before exponentials
// are taken; one value, or a row of them.
const float* Mapped(Before before, const float* in, const float* base, bool base_is_row, float* to,
                    std::size_t n) {
  if (before == Before::kNothing) return in;
  if (before == Before::kExp) {
    if (base_is_row) {
      Apply(Pair::kSub, in, base, to, n);
    } else {
      Apply(Pair::kSub, in, *base, to, n);
    }
    Apply(Unary::kExp, to, to, n);
  } else {
    Apply(before == Before::kSquare ? Unary::kSquare : Unary::kAbs, in, to, n);
  }
  return to;
}

// Reduces pieces of a row. All pieces but the last must be multiples of 32 elements.
struct PartialResults {
  Pair pair;
  std::size_t used = 0;
  float partial[kPartialSums];

  void Add(const float* x, std::size_t n) {
    if (used == 0) {
      used = std::min(n, kPartialSums);
      std::copy_n(x, used, partial);
      x += used;
      n -= used;
    }
    for (; n >= kPartialSums; n -= kPartialSums, x += kPartialSums) {
      Accumulate(pair, x, partial, kPartialSums);
    }
    if (n != 0) Accumulate(pair, x, partial, n);
  }
  float All() {
    for (std::size_t half = kPartialSums / 2; half > 0; half /= 2) {
      if (half < used) Accumulate(pair, partial + half, partial, std::min(half, used - half));
    }
    return partial[0];
  }
};

struct RowReduction : RowGroups {
  Reduces what = Reduces::kSum;
  Dtype dtype = Dtype::kFloat32;

  void Finish(float* all, const float* base, std::size_t n) const;
  float AccumulateGroup(const void* in, std::size_t group, Pair pair, Before before,
                        const float* base) const;
  float ReduceGroup(const void* in, std::size_t group) const;
  void AccumulateTile(const void* in, std::size_t at, std::size_t n, Before before,
                      const float* base, RowTree& tree) const;
  void ReduceTile(const void* in, std::size_t at, std::size_t n, float* all) const;
  void RunGroups(const void* in, void* out) const;
  void RunTiles(const void* in, void* out) const;
};

void RowReduction::Finish(float* all, const float* base, std::size_t n) const {
  const auto count = static_cast<float>(members.size() * (run_stays ? 1 : run));
  if (what == Reduces::kMean) {
    Apply(Pair::kDiv, all, count, all, n);
  }
  if (what == Reduces::kL2) Apply(Unary::kSqrt, all, all, n);
  if (what == Reduces::kLogSum || what == Reduces::kLogSumExp) {
    Apply(Unary::kLog, all, all, n);
  }
  if (what == Reduces::kLogSumExp) Accumulate(Pair::kAdd, base, all, n);
}

// Reduces all elements of a group in tiles; shorter rows are concatenated.
float RowReduction::AccumulateGroup(const void* in, std::size_t group, Pair pair, Before before,
                                    const float* base) const {
  float tile[kTileSize];
  float mapped[kTileSize];
  PartialResults results{pair, 0, {}};
  std::size_t held = 0;
  for (const std::size_t member : members) {
    const std::size_t row = (groups[group] + member) * run;
    for (std::size_t done = 0; done < run;) {
      const std::size_t some = std::min(run - done, kTileSize - held);
      const float* x = LoadRow(dtype, in, row + done, some, tile + held);
      done += some;
      if (held == 0 && some == kTileSize) {
        results.Add(Mapped(before, x, base, false, mapped, some), some);
        continue;
      }
      if (x != tile + held) std::copy_n(x, some, tile + held);
      held += some;
      if (held < kTileSize) continue;
      results.Add(Mapped(before, tile, base, false, mapped, held), held);
      held = 0;
    }
  }
  if (held != 0) results.Add(Mapped(before, tile, base, false, mapped, held), held);
  return results.All();
}

float RowReduction::ReduceGroup(const void* in, std::size_t group) const {
  float base = 0;
  float all = 0;
  if (what == Reduces::kLogSumExp) {
    base = AccumulateGroup(in, group, Pair::kMax, Before::kNothing, nullptr);
    if (std::isinf(base)) base = 0;
  }
  const Before before = MapBefore(what);
  const bool is_row = dtype == Dtype::kFloat32 && members.size() == 1;
  const float* row = is_row ? static_cast<const float*>(in) + groups[group] * run : nullptr;
  if (is_row && PairOf(what) == Pair::kAdd && before == Before::kNothing) {
    all = arithmetic::Rows().sum(row, run);
  } else if (is_row && before == Before::kSquare) {
    all = arithmetic::Rows().sum_of_squares(row, 0, run);
  } else if (is_row && what == Reduces::kMax) {
    all = arithmetic::Rows().max(row, run);
  } else {
    all = AccumulateGroup(in, group, PairOf(what), before, &base);
  }
  Finish(&all, &base, 1);
  return all;
}

// Reduces n columns of all rows of a group. `at`: offset of the first column in the group's first
// row.
void RowReduction::AccumulateTile(const void* in, std::size_t at, std::size_t n, Before before,
                                  const float* base, RowTree& tree) const {
  float wide[kColumns];
  float mapped[kColumns];
  for (const std::size_t member : members) {
    const float* x = LoadRow(dtype, in, at + member * run, n, wide);
    tree.Add(Mapped(before, x, base, true, mapped, n));
  }
}

void RowReduction::ReduceTile(const void* in, std::size_t at, std::size_t n, float* all) const {
  float base[kColumns] = {};
  if (what == Reduces::kLogSumExp) {
    RowTree greatest(Pair::kMax, n);
    AccumulateTile(in, at, n, Before::kNothing, nullptr, greatest);
    std::transform(greatest.All(), greatest.All() + n, base,
                   [](float x) { return std::isinf(x) ? 0.0F : x; });
  }
  RowTree tree(PairOf(what), n);
  AccumulateTile(in, at, n, MapBefore(what), base, tree);
  std::copy_n(tree.All(), n, all);
  Finish(all, base, n);
}

void RowReduction::RunGroups(const void* in, void* out) const {
  ForParts(groups.size(), kPartSize / (run * members.size()) + 1,
           [&](std::size_t begin, std::size_t end, std::size_t) {
             float results[kColumns];
             for (std::size_t at = begin; at < end; at += kColumns) {
               const std::size_t some = std::min(kColumns, end - at);
               float* row = ResultRow(dtype, out, at, results);
               for (std::size_t i = 0; i < some; ++i) row[i] = ReduceGroup(in, at + i);
               StoreRow(dtype, row, out, at, some);
             }
           });
}

void RowReduction::RunTiles(const void* in, void* out) const {
  const std::size_t tiles = (run + kColumns - 1) / kColumns;
  ForParts(groups.size() * tiles, kPartSize / (std::min(run, kColumns) * members.size()) + 1,
           [&](std::size_t begin, std::size_t end, std::size_t) {
             float results[kColumns];
             for (std::size_t at = begin; at < end; ++at) {
               const std::size_t group = at / tiles;
               const std::size_t first = at % tiles * kColumns;
               const std::size_t some = std::min(kColumns, run - first);
               float* row = ResultRow(dtype, out, group * run + first, results);
               ReduceTile(in, groups[group] * run + first, some, row);
               StoreRow(dtype, row, out, group * run + first, some);
             }
           });
}

// Takes the parameters of the reference: axes, keep.
template <Reduces kWhat>
Prepared PrepareVectorReduce(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  if (Elements(shape) == 0) return Refuse("it has an empty tensor");
  const Integers axes = call.parameters.List("axes");
  const auto goes = [&](std::size_t d) {
    return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(d)) != axes.end();
  };
  RowReduction reduction{SplitRows(shape, axes), kWhat, call.Input(0).dtype};
  TensorType result{call.Input(0).dtype, {}};
  const bool keeps = call.parameters.Integer("keep", 1) != 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (!goes(d) || keeps) result.dimensions.push_back(goes(d) ? 1 : shape[d]);
  }
  Prepared prepared;
  prepared.outputs = {result};
  prepared.run = [reduction = std::move(reduction)](const void* const* inputs, void* const* outputs,
                                                    void*) {
    if (reduction.run_stays) return reduction.RunTiles(inputs[0], outputs[0]);
    reduction.RunGroups(inputs[0], outputs[0]);
  };
  return prepared;
}

#define OPLEDGER_VECTOR_REDUCE(NAME, BOUND) \
  OPLEDGER_KERNEL(Reduce##NAME, "cpu")      \
      .Types("T", OPLEDGER_VECTOR_FLOATS)   \
      .Accumulates(Dtype::kFloat32)         \
      .ErrorBound(BOUND)                    \
      .By("vector")                         \
      .Run(&PrepareVectorReduce<Reduces::k##NAME>);
OPLEDGER_VECTOR_REDUCE(Sum, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_VECTOR_REDUCE(Mean, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_VECTOR_REDUCE(SumSquare, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_VECTOR_REDUCE(L1, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_VECTOR_REDUCE(L2, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_VECTOR_REDUCE(LogSum, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_VECTOR_REDUCE(LogSumExp, "4 ulp + n / 32 * 2^-24")
OPLEDGER_VECTOR_REDUCE(Prod, "0.5 ulp + n / 32 * 2^-24")
OPLEDGER_VECTOR_REDUCE(Max, "exact")
OPLEDGER_VECTOR_REDUCE(Min, "exact")

}  // namespace
}  // namespace opledger
