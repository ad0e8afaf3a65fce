// BoxNms: keeps, among overlapping boxes, the one with the highest score. Each row has a box, its
// score and usually its class. Kept rows come first, by score; all other elements are -1. The rules
// are those of box_nms in MXNet (src/operator/contrib/bounding_box-inl.h).
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/boxes.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

struct BoxRules {
  std::size_t batches = 1;
  std::size_t rows = 0;
  std::size_t width = 0;
  std::size_t box = 2;  // index of the first of four coordinates
  std::size_t score = 1;
  std::int64_t category = -1;  // index of the class; -1: no class
  double background = -1;      // boxes of this class are dropped
  double min_score = 0;
  double max_overlap = 0.5;
  std::size_t max_rows = 0;  // rows considered, best score first
  bool across = false;       // boxes of different classes suppress each other, too
  bool centres = false;      // boxes are x, y, width, height; otherwise two corners
  bool gives_centres = false;
};

template <typename T>
Box<Computed<T>> SidesOf(const T* box, bool centres) {
  using V = Computed<T>;
  Box<V> sides;
  for (std::size_t d = 0; d < 2; ++d) {
    const V first = Load(box[d]);
    const V second = Load(box[d + 2]);
    sides.low[d] = centres ? first - second / V(2) : first;
    sides.high[d] = centres ? first + second / V(2) : second;
  }
  return sides;
}

template <typename T>
void WriteBox(const BoxRules& rules, const T* row, T* out) {
  using V = Computed<T>;
  std::copy(row, row + rules.width, out);
  if (rules.centres == rules.gives_centres || Load(row[rules.box]) < V(0)) return;
  const auto sides = SidesOf(row + rules.box, rules.centres);
  for (std::size_t d = 0; d < 2; ++d) {
    const V size = sides.high[d] - sides.low[d];
    Store(out[rules.box + d],
          rules.gives_centres ? (sides.low[d] + sides.high[d]) / V(2) : sides.low[d]);
    Store(out[rules.box + d + 2], rules.gives_centres ? size : sides.high[d]);
  }
}

// `order`: scratch memory with one element for each row.
template <typename T>
void KeepBest(const BoxRules& rules, const T* in, T* out, std::size_t* order) {
  using V = Computed<T>;
  const auto score = [&](std::size_t row) { return Load(in[row * rules.width + rules.score]); };
  const auto category = [&](std::size_t row) {
    return Load(in[row * rules.width + static_cast<std::size_t>(rules.category)]);
  };
  std::size_t count = 0;
  for (std::size_t row = 0; row < rules.rows; ++row) {
    if (!(score(row) > static_cast<V>(rules.min_score))) continue;
    if (rules.category >= 0 && category(row) == static_cast<V>(rules.background)) continue;
    order[count++] = row;
  }
  std::sort(order, order + count, [&](std::size_t a, std::size_t b) {
    return score(a) != score(b) ? score(a) > score(b) : a < b;
  });
  const auto sides = [&](std::size_t row) {
    return SidesOf(in + row * rules.width + rules.box, rules.centres);
  };
  count = std::min(count, rules.max_rows);
  count = SuppressBoxes(order, count, count, [&](std::size_t best, std::size_t next) {
    const bool other = rules.category >= 0 && !rules.across &&
                       static_cast<int>(category(best)) != static_cast<int>(category(next));
    return !other && SharedPart(sides(best), sides(next)) > static_cast<V>(rules.max_overlap);
  });
  T nothing;
  Store(nothing, V(-1));
  std::fill_n(out, rules.rows * rules.width, nothing);
  for (std::size_t i = 0; i < count; ++i) {
    WriteBox(rules, in + order[i] * rules.width, out);
    out += rules.width;
  }
}

// Parameters: overlap, least, top (-1: all), box, score, class, background, across, centres,
// gives_centres.
Prepared PrepareBoxNms(const Call& call) {
  const Dimensions& shape = call.Shape(0);
  const std::int64_t box = call.parameters.Integer("box", 2);
  const std::int64_t score = call.parameters.Integer("score", 1);
  const std::int64_t category = call.parameters.Integer("class", -1);
  if (shape.size() < 2) return Refuse("its input has no rows");
  const std::int64_t width = shape.back();
  if (box < 0 || width < 4 || box > width - 4 || score < 0 || score >= width || category >= width) {
    return Refuse("its rows have too few elements");
  }
  BoxRules rules;
  rules.rows = static_cast<std::size_t>(shape[shape.size() - 2]);
  rules.width = static_cast<std::size_t>(width);
  rules.batches = Elements(Dimensions(shape.begin(), shape.end() - 2));
  rules.box = static_cast<std::size_t>(box);
  rules.score = static_cast<std::size_t>(score);
  rules.category = std::max<std::int64_t>(category, -1);
  rules.background = static_cast<double>(call.parameters.Integer("background", -1));
  rules.min_score = call.parameters.Number("min_score", 0);
  rules.max_overlap = call.parameters.Number("overlap", 0.5);
  const std::int64_t top = call.parameters.Integer("top", -1);
  rules.max_rows = top < 0 ? rules.rows : static_cast<std::size_t>(top);
  rules.across = call.parameters.Integer("across", 0) != 0;
  rules.centres = call.parameters.Integer("centres", 0) != 0;
  rules.gives_centres = call.parameters.Integer("gives_centres", 0) != 0;
  Prepared prepared;
  prepared.outputs = {call.Input(0)};
  prepared.workspace = rules.rows * sizeof(std::size_t);
  WithFloat(call.Input(0).dtype, [&]<typename T>(T*) {
    prepared.run = [rules](const void* const* inputs, void* const* outputs, void* workspace) {
      for (std::size_t i = 0; i < rules.batches; ++i) {
        const std::size_t at = i * rules.rows * rules.width;
        KeepBest(rules, static_cast<const T*>(inputs[0]) + at, static_cast<T*>(outputs[0]) + at,
                 static_cast<std::size_t*>(workspace));
      }
    };
  });
  return prepared;
}

OPLEDGER_KERNEL(BoxNms, "cpu")
    .Types("T", OPLEDGER_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("1 ulp")
    .Reads("box")
    .Reads("score")
    .Reads("class")
    .Reads("background")
    .Reads("min_score")
    .Reads("overlap")
    .Reads("top")
    .Reads("across")
    .Reads("centres")
    .Reads("gives_centres")
    .Run(&PrepareBoxNms);

}  // namespace
}  // namespace opledger
