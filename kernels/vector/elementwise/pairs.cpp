// Two numbers in, one out, where rows of both stand together or are one number.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/arithmetic/loops/loops.h"
#include "kernels/tensor/broadcast.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {
namespace {

using arithmetic::Pair;

// One side of a row of pairs: numbers that stand together, or one for all of them.
struct PairSide {
  const void* data;
  std::size_t at;
  bool one;

  std::size_t Place(std::size_t further) const { return at + (one ? 0 : further); }
  const float* Row(Dtype dtype, std::size_t further, std::size_t n, float* buffer) const {
    return LoadRow(dtype, data, Place(further), one ? 1 : n, buffer);
  }
};

// A row of pairs in tiles.
struct PairRows {
  Dtype dtype = Dtype::kFloat32;
  const arithmetic::RowLoops::PairLoop* loops =
      nullptr;  // of both rows, b one number, a one number

  void Run(const PairSide& a, const PairSide& b, void* out, std::size_t at,
           std::size_t count) const {
    float tile_a[kTileSize];
    float tile_b[kTileSize];
    const auto loop = loops[b.one ? 1 : a.one ? 2 : 0];
    for (std::size_t done = 0; done < count; done += kTileSize) {
      const std::size_t some = std::min(kTileSize, count - done);
      const float* row_a = a.Row(dtype, done, some, tile_a);
      const float* row_b = b.Row(dtype, done, some, tile_b);
      float* row = ResultRow(dtype, out, at + done, a.one ? tile_b : tile_a);
      if (a.one && b.one) {
        loop(row_a, row_b, row, 1);
        std::fill(row + 1, row + some, row[0]);
      } else {
        loop(row_a, row_b, row, some);
      }
      StoreRow(dtype, row, out, at + done, some);
    }
  }
};

bool StepsAreSimple(const BroadcastWalk& walk) {
  bool simple = true;
  walk.Rows([&](std::size_t, const std::int64_t*, std::size_t, const std::int64_t* steps) {
    simple = simple && (steps[0] == 0 || steps[0] == 1) && (steps[1] == 0 || steps[1] == 1);
  });
  return simple;
}

// One row that is everything is cut among threads; others are too short to be.
template <Pair kPair>
Prepared PrepareVectorPair(const Call& call) {
  if (call.Input(0).dtype != call.Input(1).dtype) return Refuse("its inputs differ in type");
  const auto shape = Broadcast({call.Shape(0), call.Shape(1)});
  if (!shape) return Refuse("its inputs do not broadcast");
  const BroadcastWalk walk(*shape, {call.Shape(0), call.Shape(1)});
  if (!StepsAreSimple(walk)) return Refuse("its numbers do not stand in rows");
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, *shape}};
  const PairRows rows{call.Input(0).dtype,
                      arithmetic::Rows().pairs[static_cast<std::size_t>(kPair)]};
  prepared.run = [walk, rows](const void* const* inputs, void* const* outputs, void*) {
    walk.Rows([&](std::size_t at, const std::int64_t* offsets, std::size_t count,
                  const std::int64_t* steps) {
      const PairSide a{inputs[0], static_cast<std::size_t>(offsets[0]), steps[0] == 0};
      const PairSide b{inputs[1], static_cast<std::size_t>(offsets[1]), steps[1] == 0};
      ForParts(count, kPartSize, [&](std::size_t begin, std::size_t end, std::size_t) {
        rows.Run({a.data, a.Place(begin), a.one}, {b.data, b.Place(begin), b.one}, outputs[0],
                 at + begin, end - begin);
      });
    });
  };
  return prepared;
}

#define OPLEDGER_VECTOR_PAIR(NAME, BOUND) \
  OPLEDGER_KERNEL(NAME, "cpu")            \
      .Types("T", OPLEDGER_VECTOR_FLOATS) \
      .Accumulates(Dtype::kFloat32)       \
      .ErrorBound(BOUND)                  \
      .Priority(10)                       \
      .Run(&PrepareVectorPair<Pair::k##NAME>);
OPLEDGER_VECTOR_PAIR(Add, "0.5 ulp")
OPLEDGER_VECTOR_PAIR(Sub, "0.5 ulp")
OPLEDGER_VECTOR_PAIR(Mul, "0.5 ulp")
OPLEDGER_VECTOR_PAIR(Div, "0.5 ulp")
OPLEDGER_VECTOR_PAIR(Max, "exact")
OPLEDGER_VECTOR_PAIR(Min, "exact")

}  // namespace
}  // namespace opledger
