// ONNX operators that give as many numbers as they find: constants, once the numbers they look at
// are known.
//   NonMaxSuppression(boxes, scores) -> (batch, class, box) of each that stays
//   Unique(x)                        -> its values, each once; where, which, how often
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

struct SelectedBox {
  float low[2];
  float high[2];
};

// Two corners, or the centre and the size; both are y first in corners and x first in centres.
SelectedBox BoxOf(const double* numbers, bool centres) {
  SelectedBox box;
  for (std::size_t d = 0; d < 2; ++d) {
    const auto first = static_cast<float>(numbers[d]);
    const auto second = static_cast<float>(numbers[d + 2]);
    box.low[d] = centres ? first - second / 2 : std::min(first, second);
    box.high[d] = centres ? first + second / 2 : std::max(first, second);
  }
  return box;
}

float AreaOf(const SelectedBox& box) {
  return (box.high[0] - box.low[0]) * (box.high[1] - box.low[1]);
}

// Of what both cover together, the share that both cover.
float SharedPart(const SelectedBox& a, const SelectedBox& b) {
  float both = 1;
  for (std::size_t d = 0; d < 2; ++d) {
    both *= std::max(std::min(a.high[d], b.high[d]) - std::max(a.low[d], b.low[d]), 0.0F);
  }
  return both > 0 ? both / (AreaOf(a) + AreaOf(b) - both) : 0;
}

struct SuppressionRules {
  std::size_t most = 0;  // of each class
  float overlap = 0;
  std::optional<float> least;  // score
};

// By score, of equal ones the first.
std::vector<std::size_t> KeptBoxes(const std::vector<SelectedBox>& boxes, const double* scores,
                                   const SuppressionRules& rules) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (!rules.least || static_cast<float>(scores[i]) > *rules.least) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  std::vector<std::size_t> kept;
  for (const std::size_t box : order) {
    if (kept.size() >= rules.most) break;
    const bool hidden = std::any_of(kept.begin(), kept.end(), [&](std::size_t better) {
      return SharedPart(boxes[better], boxes[box]) > rules.overlap;
    });
    if (!hidden) kept.push_back(box);
  }
  return kept;
}

Bound BindNonMaxSuppression(const OnnxNode& node) {
  const auto numbers = node.KnownNumbers(0);
  const auto scores = node.KnownNumbers(1);
  if (!numbers || !scores) return Unbound("which boxes stay is known only as it runs");
  const Dimensions& shape = node.Input(0).dimensions;
  const Dimensions& of_scores = node.Input(1).dimensions;
  if (shape.size() != 3 || shape[2] != 4 || of_scores.size() != 3 || of_scores[0] != shape[0] ||
      of_scores[2] != shape[1]) {
    return Unbound("its scores do not fit its boxes");
  }
  SuppressionRules rules;
  for (std::size_t input = 2; input < 5; ++input) {
    if (!node.Has(input)) continue;
    const auto known = node.KnownNumbers(input);
    if (!known || known->size() != 1) return Unbound("its limits are computed as the model runs");
    const double limit = (*known)[0];
    if (input == 2) rules.most = static_cast<std::size_t>(std::clamp(limit, 0.0, 1e15));
    if (input == 3) rules.overlap = static_cast<float>(limit);
    if (input == 4) rules.least = static_cast<float>(limit);
  }
  const bool centres = node.Integer("center_point_box", 0) != 0;
  const auto count = static_cast<std::size_t>(shape[1]);
  Integers kept;
  for (std::int64_t batch = 0; batch < shape[0]; ++batch) {
    std::vector<SelectedBox> boxes;
    const double* first = numbers->data() + static_cast<std::size_t>(batch) * count * 4;
    for (std::size_t i = 0; i < count; ++i) boxes.push_back(BoxOf(first + 4 * i, centres));
    for (std::int64_t category = 0; category < of_scores[1]; ++category) {
      const auto row = static_cast<std::size_t>(batch * of_scores[1] + category);
      for (const std::size_t box : KeptBoxes(boxes, scores->data() + row * count, rules)) {
        kept.insert(kept.end(), {batch, category, static_cast<std::int64_t>(box)});
      }
    }
  }
  Bound bound;
  bound.constants.emplace_back(
      TensorType{Dtype::kInt64, {static_cast<std::int64_t>(kept.size() / 3), 3}});
  std::copy(kept.begin(), kept.end(), bound.constants[0].As<std::int64_t>());
  return bound;
}

// Rows of numbers, in order: NaN behind all others, and one.
struct ComparedRows {
  std::vector<double> numbers;  // one row behind the other
  std::vector<std::int64_t> integers;
  std::size_t width = 0;

  int Compare(std::size_t a, std::size_t b) const {
    for (std::size_t i = 0; i < width; ++i) {
      const int order = integers.empty() ? Order(numbers[a * width + i], numbers[b * width + i])
                                         : Order(integers[a * width + i], integers[b * width + i]);
      if (order != 0) return order;
    }
    return 0;
  }

 private:
  template <typename V>
  static int Order(V a, V b) {
    const bool a_is_nan = std::isnan(static_cast<double>(a));
    const bool b_is_nan = std::isnan(static_cast<double>(b));
    if (a_is_nan || b_is_nan) return static_cast<int>(a_is_nan) - static_cast<int>(b_is_nan);
    return static_cast<int>(a > b) - static_cast<int>(a < b);
  }
};

// Slices along the axis, or all numbers, as rows.
template <typename V>
std::vector<V> RowsAlong(const std::vector<V>& numbers, const Dimensions& shape, std::size_t axis) {
  std::size_t inner = 1;
  for (std::size_t d = axis + 1; d < shape.size(); ++d) inner *= static_cast<std::size_t>(shape[d]);
  const auto length = static_cast<std::size_t>(shape[axis]);
  std::vector<V> rows;
  rows.reserve(numbers.size());
  for (std::size_t row = 0; row < length; ++row) {
    for (std::size_t at = row * inner; at < numbers.size(); at += length * inner) {
      rows.insert(rows.end(), numbers.begin() + static_cast<std::ptrdiff_t>(at),
                  numbers.begin() + static_cast<std::ptrdiff_t>(at + inner));
    }
  }
  return rows;
}

// Of equal rows the first; for each row, its number among them and how many there are.
struct UniqueRows {
  Integers first;
  Integers which;
  Integers count;
};

UniqueRows FindUnique(const ComparedRows& rows, std::size_t length, bool sorted) {
  std::vector<std::size_t> order(length);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rows.Compare(a, b) < 0; });
  std::vector<std::vector<std::size_t>> groups;
  for (const std::size_t row : order) {
    if (groups.empty() || rows.Compare(groups.back().front(), row) != 0) groups.emplace_back();
    groups.back().push_back(row);
  }
  if (!sorted) std::sort(groups.begin(), groups.end());
  UniqueRows unique;
  unique.which.resize(length);
  for (const auto& group : groups) {
    for (const std::size_t row : group) {
      unique.which[row] = static_cast<std::int64_t>(unique.first.size());
    }
    unique.first.push_back(static_cast<std::int64_t>(group.front()));
    unique.count.push_back(static_cast<std::int64_t>(group.size()));
  }
  return unique;
}

Bound BindUnique(const OnnxNode& node) {
  const bool flat = !node.HasAttribute("axis");
  const auto axis = flat ? std::int64_t{0} : AxisOf(node.Integer("axis", 0), node.Rank(0));
  if (!axis) return Unbound("it has no such axis");
  const auto count = static_cast<std::int64_t>(Elements(node.Input(0).dimensions));
  const Dimensions shape = flat ? Dimensions{count} : node.Input(0).dimensions;
  const auto length = static_cast<std::size_t>(shape[static_cast<std::size_t>(*axis)]);
  ComparedRows rows;
  rows.width = length == 0 ? 0 : static_cast<std::size_t>(count) / length;
  if (const auto integers = node.KnownIntegers(0)) {
    rows.integers = RowsAlong(*integers, shape, static_cast<std::size_t>(*axis));
  } else if (const auto numbers = node.KnownNumbers(0)) {
    rows.numbers = RowsAlong(*numbers, shape, static_cast<std::size_t>(*axis));
  } else {
    return Unbound("how many values it has is known only as it runs");
  }
  const UniqueRows unique = FindUnique(rows, length, node.Integer("sorted", 1) != 0);
  Bound bound = BindFirst(node, "Take");
  bound.parameters.Set("flat", std::int64_t{flat ? 1 : 0});
  bound.parameters.Set("axis", *axis);
  bound.parameters.Set("indices", unique.first);
  bound.results = {0};
  const Integers* others[] = {&unique.first, &unique.which, &unique.count};
  for (int i = 0; i < 3; ++i) {
    ConstantTensor places({Dtype::kInt64, {static_cast<std::int64_t>(others[i]->size())}});
    std::copy(others[i]->begin(), others[i]->end(), places.As<std::int64_t>());
    BoundCall& call = bound.before.emplace_back();
    call.kernel = "Identity";
    call.inputs = {static_cast<int>(node.inputs() + bound.operands.size())};
    call.results = {i + 1};
    bound.operands.push_back(std::move(places));
  }
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& OnnxSelections() {
  static const std::vector<OnnxBinding> kTable = {
      {"NonMaxSuppression", BindNonMaxSuppression},
      {"Unique", BindUnique},
  };
  return kTable;
}

}  // namespace opledger
