// ONNX operators that read or write elements by index, or fill tensors by a rule.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/bindings/onnx/node.h"
#include "kernels/tensor/boxes.h"

namespace opledger {
namespace {

LoweredNode BindOneHot(const OnnxNode& node) {
  const auto depth = node.KnownNumbers(1);
  if (!depth || depth->size() != 1)
    return Unsupported(NeedsValues("its depth is computed at run time"));
  const auto axis = AxisOf(node.Integer("axis", -1), node.Rank(0) + 1);
  if (!axis) return Unsupported("its axis is out of range");
  if (!((*depth)[0] >= 0 && (*depth)[0] < 1e15)) return Unsupported("its depth is out of range");
  LoweredNode bound;
  bound.kernel = "OneHot";
  bound.inputs = {0, 2};
  bound.parameters.Set("axis", *axis);
  bound.parameters.Set("depth", static_cast<std::int64_t>((*depth)[0]));
  return bound;
}

LoweredNode BindEyeLike(const OnnxNode& node) {
  const auto to = OnnxDtype(node.Integer("dtype", 0));
  if (node.HasAttribute("dtype") && !to) return Unsupported("its output type is unknown");
  LoweredNode bound = BindAs(node, "EyeLike");
  bound.parameters.Set("diagonal", node.Integer("k", 0));
  bound.parameters.Set("to", DtypeName(node.HasAttribute("dtype") ? *to : node.Input(0).dtype));
  return bound;
}

// The output's size is the number of true elements, so the condition must be known.
LoweredNode BindCompress(const OnnxNode& node) {
  const auto condition = node.KnownIntegers(1);
  if (!condition)
    return Unsupported(NeedsValues("its output shape depends on the values of its condition"));
  const bool flat = !node.HasAttribute("axis");
  const auto axis = flat ? std::int64_t{0} : AxisOf(node.Integer("axis", 0), node.Rank(0));
  if (!axis) return Unsupported("its axis is out of range");
  Integers indices;
  for (std::size_t i = 0; i < condition->size(); ++i) {
    if ((*condition)[i] != 0) indices.push_back(static_cast<std::int64_t>(i));
  }
  LoweredNode bound = BindFirst(node, "Take");
  bound.parameters.Set("flat", std::int64_t{flat ? 1 : 0});
  bound.parameters.Set("axis", *axis);
  bound.parameters.Set("indices", indices);
  return bound;
}

LoweredNode BindNonZero(const OnnxNode& node) {
  std::vector<bool> is_set;
  if (const auto integers = node.KnownIntegers(0)) {
    for (const std::int64_t each : *integers) is_set.push_back(each != 0);
  } else if (const auto numbers = node.KnownNumbers(0)) {
    for (const double each : *numbers) is_set.push_back(each != 0);
  } else {
    return Unsupported(NeedsValues("its output shape depends on the values of its input"));
  }
  Integers found;
  for (std::size_t i = 0; i < is_set.size(); ++i) {
    if (is_set[i]) found.push_back(static_cast<std::int64_t>(i));
  }
  const auto count = static_cast<std::int64_t>(found.size());
  ConstantTensor places({Dtype::kInt64, {node.Rank(0), count}});
  for (std::int64_t d = node.Rank(0); d-- > 0;) {
    for (std::int64_t i = 0; i < count; ++i) {
      places.As<std::int64_t>()[d * count + i] = found[i] % node.Shape(0)[d];
      found[i] /= node.Shape(0)[d];
    }
  }
  LoweredNode bound;
  bound.constants.push_back(std::move(places));
  return bound;
}

LoweredNode BindGatherNd(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "GatherNd");
  bound.parameters.Set("batch", node.Integer("batch_dims", 0));
  return bound;
}

LoweredNode BindReverseSequence(const OnnxNode& node) {
  const std::int64_t time = node.Integer("time_axis", 0);
  const bool of_first_two = time == 0 || time == 1;
  if (!of_first_two || node.Integer("batch_axis", 1) != 1 - time)
    return Unsupported("its axes are not the first two");
  LoweredNode bound = BindAs(node, "ReverseSequence");
  bound.parameters.Set("time", time);
  return bound;
}

LoweredNode BindScatterElements(const OnnxNode& node) {
  const auto axis = AxisOf(node.Integer("axis", 0), node.Rank(0));
  if (!axis) return Unsupported("its axis is out of range");
  LoweredNode bound = BindAs(node, "ScatterElements");
  bound.parameters.Set("axis", *axis);
  bound.parameters.Set("reduction", node.Word("reduction", "none"));
  return bound;
}

LoweredNode BindScatterNd(const OnnxNode& node) {
  LoweredNode bound = BindAs(node, "ScatterNd");
  bound.parameters.Set("reduction", node.Word("reduction", "none"));
  return bound;
}

LoweredNode BindTensorScatter(const OnnxNode& node) {
  const auto axis = AxisOf(node.Integer("axis", -2), node.Rank(0));
  if (!axis) return Unsupported("its axis is out of range");
  LoweredNode bound = BindAs(node, "TensorScatter");
  bound.parameters.Set("axis", *axis);
  bound.parameters.Set("circular", std::int64_t{node.Word("mode", "linear") == "circular" ? 1 : 0});
  return bound;
}

LoweredNode BindTrilu(const OnnxNode& node) {
  const auto diagonal = node.Has(1) ? node.KnownInteger(1) : std::int64_t{0};
  if (!diagonal) return Unsupported(NeedsValues("its k is computed at run time"));
  LoweredNode bound = BindFirst(node, "Trilu");
  bound.parameters.Set("upper", node.Integer("upper", 1));
  bound.parameters.Set("diagonal", *diagonal);
  return bound;
}

}  // namespace

const std::vector<OnnxBinding>& OnnxIndexing() {
  static const std::vector<OnnxBinding> kTable = {
      {"Compress", BindCompress},
      {"EyeLike", BindEyeLike},
      {"GatherND", BindGatherNd},
      {"NonZero", BindNonZero},
      {"OneHot", BindOneHot},
      {"ReverseSequence", BindReverseSequence},
      {"Scatter", BindScatterElements},
      {"ScatterElements", BindScatterElements},
      {"ScatterND", BindScatterNd},
      {"TensorScatter", BindTensorScatter},
      {"Trilu", BindTrilu},
  };
  return kTable;
}

// ONNX operators whose output size depends on their inputs' values: constants, once these are
// known.
//   NonMaxSuppression(boxes, scores) -> (batch, class, box) of each remaining box
//   Unique(x)                        -> its distinct values; positions, inverse, counts

namespace {

// Two corners with y first, or the center and the size with x first.
Box<float> BoxOf(const double* numbers, bool centres) {
  Box<float> box;
  for (std::size_t d = 0; d < 2; ++d) {
    const auto first = static_cast<float>(numbers[d]);
    const auto second = static_cast<float>(numbers[d + 2]);
    box.low[d] = centres ? first - second / 2 : std::min(first, second);
    box.high[d] = centres ? first + second / 2 : std::max(first, second);
  }
  return box;
}

struct SuppressionRules {
  std::size_t max_kept = 0;  // for each class
  float overlap = 0;
  std::optional<float> min_score;
};

// Sorted by score, NaN last; the first of equal ones comes first.
std::vector<std::size_t> KeptBoxes(const std::vector<Box<float>>& boxes, const double* scores,
                                   const SuppressionRules& rules) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (!rules.min_score || static_cast<float>(scores[i]) > *rules.min_score) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::isnan(scores[b]) ? !std::isnan(scores[a]) : scores[a] > scores[b];
  });
  order.resize(SuppressBoxes(order.data(), order.size(), rules.max_kept,
                             [&](std::size_t better, std::size_t box) {
                               return SharedPart(boxes[better], boxes[box]) > rules.overlap;
                             }));
  return order;
}

LoweredNode BindNonMaxSuppression(const OnnxNode& node) {
  const auto numbers = node.KnownNumbers(0);
  const auto scores = node.KnownNumbers(1);
  if (!numbers || !scores)
    return Unsupported(
        NeedsValues("its output shape depends on the values of its boxes and scores"));
  const Dimensions& shape = node.Shape(0);
  const Dimensions& of_scores = node.Shape(1);
  if (shape.size() != 3 || shape[2] != 4 || of_scores.size() != 3 || of_scores[0] != shape[0] ||
      of_scores[2] != shape[1]) {
    return Unsupported("its scores do not fit its boxes");
  }
  SuppressionRules rules;
  for (std::size_t input = 2; input < 5; ++input) {
    if (!node.Has(input)) continue;
    const auto known = node.KnownNumbers(input);
    if (!known || known->size() != 1)
      return Unsupported(NeedsValues("its limits are computed at run time"));
    const double limit = (*known)[0];
    if (input == 2) rules.max_kept = static_cast<std::size_t>(std::clamp(limit, 0.0, 1e15));
    if (input == 3) rules.overlap = static_cast<float>(limit);
    if (input == 4) rules.min_score = static_cast<float>(limit);
  }
  const bool centres = node.Integer("center_point_box", 0) != 0;
  const auto count = static_cast<std::size_t>(shape[1]);
  Integers kept;
  for (std::int64_t batch = 0; batch < shape[0]; ++batch) {
    std::vector<Box<float>> boxes;
    const double* first = numbers->data() + static_cast<std::size_t>(batch) * count * 4;
    for (std::size_t i = 0; i < count; ++i) boxes.push_back(BoxOf(first + 4 * i, centres));
    for (std::int64_t category = 0; category < of_scores[1]; ++category) {
      const auto row = static_cast<std::size_t>(batch * of_scores[1] + category);
      for (const std::size_t box : KeptBoxes(boxes, scores->data() + row * count, rules)) {
        kept.insert(kept.end(), {batch, category, static_cast<std::int64_t>(box)});
      }
    }
  }
  LoweredNode bound;
  bound.constants.emplace_back(
      TensorType{Dtype::kInt64, {static_cast<std::int64_t>(kept.size() / 3), 3}});
  std::copy(kept.begin(), kept.end(), bound.constants[0].As<std::int64_t>());
  return bound;
}

// Compares rows of numbers lexicographically; NaN sorts last and equals NaN.
struct ComparedRows {
  std::vector<double> numbers;  // row by row
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

// Slices along the axis, or all elements, as rows.
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

// The first row of each distinct value; for each row, the index of its value; and the counts.
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

// `outputs`: the node's outputs for the position of each value in the input, the index of each
// input row's value, and the counts; -1: none.
LoweredNode BindUniqueValues(const OnnxNode& node, bool sorted, const int (&outputs)[3]) {
  const bool flat = !node.HasAttribute("axis");
  const auto axis = flat ? std::int64_t{0} : AxisOf(node.Integer("axis", 0), node.Rank(0));
  if (!axis) return Unsupported("its axis is out of range");
  const auto count = static_cast<std::int64_t>(Elements(node.Shape(0)));
  const Dimensions shape = flat ? Dimensions{count} : node.Shape(0);
  const auto length = static_cast<std::size_t>(shape[static_cast<std::size_t>(*axis)]);
  ComparedRows rows;
  rows.width = length == 0 ? 0 : static_cast<std::size_t>(count) / length;
  if (const auto integers = node.KnownIntegers(0)) {
    rows.integers = RowsAlong(*integers, shape, static_cast<std::size_t>(*axis));
  } else if (const auto numbers = node.KnownNumbers(0)) {
    rows.numbers = RowsAlong(*numbers, shape, static_cast<std::size_t>(*axis));
  } else {
    return Unsupported(NeedsValues("its number of distinct values is known only at run time"));
  }
  const UniqueRows unique = FindUnique(rows, length, sorted);
  LoweredNode bound = BindFirst(node, "Take");
  bound.parameters.Set("flat", std::int64_t{flat ? 1 : 0});
  bound.parameters.Set("axis", *axis);
  bound.parameters.Set("indices", unique.first);
  bound.results = {0};
  const Integers* others[] = {&unique.first, &unique.which, &unique.count};
  for (int i = 0; i < 3; ++i) {
    if (outputs[i] < 0) continue;
    ConstantTensor places({Dtype::kInt64, {static_cast<std::int64_t>(others[i]->size())}});
    std::copy(others[i]->begin(), others[i]->end(), places.As<std::int64_t>());
    KernelCall& call = bound.before.emplace_back();
    call.kernel = "Identity";
    call.inputs = {static_cast<int>(node.inputs() + bound.operands.size())};
    call.results = {outputs[i]};
    bound.operands.push_back(std::move(places));
  }
  return bound;
}

LoweredNode BindUnique(const OnnxNode& node) {
  return BindUniqueValues(node, node.Integer("sorted", 1) != 0, {1, 2, 3});
}

// com.microsoft's version: in the order of the input, without positions.
LoweredNode BindUniqueInOrder(const OnnxNode& node) {
  return BindUniqueValues(node, false, {-1, 1, 2});
}

}  // namespace

const std::vector<OnnxBinding>& OnnxSelections() {
  static const std::vector<OnnxBinding> kTable = {
      {"NonMaxSuppression", BindNonMaxSuppression},
      {"Unique", BindUnique},
  };
  return kTable;
}

const std::vector<OnnxBinding>& RuntimeSelections() {
  static const std::vector<OnnxBinding> kTable = {{"Unique", BindUniqueInOrder}};
  return kTable;
}

}  // namespace opledger
