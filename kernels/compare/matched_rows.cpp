// Integers are sorted and merged. Floats are paired by the largest difference in a row, the closest
// pair first; candidates are searched along the column with the widest range.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/compare/matched_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>

#include "kernels/model/float64_oracle.h"
#include "kernels/tensor/element.h"

namespace opledger {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;  // row of exact, row of the other

// The rows of a tensor, contiguous.
struct RowTable {
  std::size_t count = 0;
  std::size_t length = 1;  // elements of a row
  std::size_t size = 0;    // bytes of an element
  std::vector<std::byte> bytes;

  const std::byte* Row(std::size_t row) const { return bytes.data() + row * RowBytes(); }
  std::size_t RowBytes() const { return length * size; }
};

// Returns the only dimension that differs, or nullopt if several do.
std::optional<std::size_t> RowAxis(const Dimensions& one, const Dimensions& other) {
  std::optional<std::size_t> axis;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] == other[i]) continue;
    if (axis) return std::nullopt;
    axis = i;
  }
  return axis;
}

RowTable TakeRows(const TensorType& type, const void* data, std::optional<std::size_t> axis) {
  RowTable table;
  table.size = ElementSize(type.dtype);
  table.count = Elements(type.dimensions);
  const auto* from = static_cast<const std::byte*>(data);
  if (!axis) {
    table.bytes.assign(from, from + table.count * table.size);
    return table;
  }
  const auto begin = type.dimensions.begin();
  const auto at = begin + static_cast<std::ptrdiff_t>(*axis);
  const std::size_t outer = Elements({begin, at});
  const std::size_t inner = Elements({at + 1, type.dimensions.end()});
  table.count = static_cast<std::size_t>(*at);
  table.length = outer * inner;
  table.bytes.resize(table.count * table.RowBytes());
  std::byte* to = table.bytes.data();
  for (std::size_t row = 0; row < table.count; ++row) {
    for (std::size_t part = 0; part < outer; ++part, to += inner * table.size) {
      if (inner == 0) continue;
      std::memcpy(to, from + (part * table.count + row) * inner * table.size, inner * table.size);
    }
  }
  return table;
}

std::vector<std::size_t> InOrder(const RowTable& table) {
  std::vector<std::size_t> order(table.count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::memcmp(table.Row(a), table.Row(b), table.RowBytes()) < 0;
  });
  return order;
}

Pairs EqualRows(const RowTable& exact, const RowTable& other) {
  const std::vector<std::size_t> left = InOrder(exact);
  const std::vector<std::size_t> right = InOrder(other);
  Pairs pairs;
  for (std::size_t i = 0, k = 0; i < left.size() && k < right.size();) {
    const int order = std::memcmp(exact.Row(left[i]), other.Row(right[k]), exact.RowBytes());
    if (order == 0) pairs.emplace_back(left[i], right[k]);
    i += order <= 0 ? 1 : 0;
    k += order >= 0 ? 1 : 0;
  }
  return pairs;
}

// Pairs rows of floats whose elements differ by at most limit_.
class CloseRows {
 public:
  CloseRows(const RowTable& exact, const RowTable& other)
      : length_(exact.length), exact_(Numbers(exact)), other_(Numbers(other)) {
    for (const double number : exact_) {
      if (std::isfinite(number)) limit_ = std::max(limit_, std::fabs(number) * kRowTolerance);
    }
    key_ = WidestColumn();
    order_.resize(other.count);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return KeyOf(a) < KeyOf(b); });
    right_.resize(other.count + 1);
    std::iota(right_.begin(), right_.end(), std::size_t{0});
    left_ = right_;
  }

  Pairs Find(std::size_t count) {
    // Distance, row of exact, place in order_.
    using Candidate = std::tuple<double, std::size_t, std::size_t>;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
    const auto add = [&](std::size_t row) {
      const auto [distance, place] = Closest(row);
      if (place < order_.size()) candidates.emplace(distance, row, place);
    };
    for (std::size_t row = 0; row < count; ++row) add(row);
    std::vector<bool> taken(order_.size());
    Pairs pairs;
    while (!candidates.empty()) {
      const auto [distance, row, place] = candidates.top();
      candidates.pop();
      if (taken[place]) {
        add(row);
        continue;
      }
      taken[place] = true;
      right_[place] = place + 1;
      left_[place + 1] = place;
      pairs.emplace_back(row, order_[place]);
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

 private:
  static std::vector<double> Numbers(const RowTable& table) {
    const auto* begin = reinterpret_cast<const double*>(table.bytes.data());
    return {begin, begin + table.count * table.length};
  }

  // Infinities and NaN come last.
  double KeyOf(std::size_t row) const {
    return length_ == 0 ? 0 : Finite(other_[row * length_ + key_]);
  }
  static double Finite(double number) {
    return std::isfinite(number) ? number : std::numeric_limits<double>::max();
  }

  std::size_t WidestColumn() const {
    std::size_t widest = 0;
    double width = -1;
    for (std::size_t column = 0; column < length_; ++column) {
      double low = std::numeric_limits<double>::infinity();
      double high = -low;
      for (std::size_t at = column; at < exact_.size(); at += length_) {
        if (!std::isfinite(exact_[at])) continue;
        low = std::min(low, exact_[at]);
        high = std::max(high, exact_[at]);
      }
      if (high - low <= width) continue;
      width = high - low;
      widest = column;
    }
    return widest;
  }

  // Returns the first free place at or after this one; with `left_`, the last free place before it
  // plus one.
  static std::size_t Free(std::vector<std::size_t>& next, std::size_t place) {
    while (next[place] != place) place = next[place] = next[next[place]];
    return place;
  }

  // Returns the largest difference, or infinity if it exceeds `enough`.
  double Distance(std::size_t row, std::size_t other, double enough) const {
    double largest = 0;
    for (std::size_t i = 0; i < length_; ++i) {
      const double a = exact_[row * length_ + i];
      const double b = other_[other * length_ + i];
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      largest = std::max(largest, std::fabs(a - b));
      if (!std::isfinite(a) || !std::isfinite(b) || largest > enough) {
        return std::numeric_limits<double>::infinity();
      }
    }
    return largest;
  }

  // Returns the distance and the place in order_ of the closest free row; the end if none is close
  // enough.
  std::pair<double, std::size_t> Closest(std::size_t row) {
    const double key = length_ == 0 ? 0 : Finite(exact_[row * length_ + key_]);
    const auto from = std::lower_bound(order_.begin(), order_.end(), key,
                                       [&](std::size_t a, double b) { return KeyOf(a) < b; });
    const auto middle = static_cast<std::size_t>(from - order_.begin());
    std::pair<double, std::size_t> best(limit_, order_.size());
    const auto look = [&](std::size_t place) {
      if (std::fabs(KeyOf(order_[place]) - key) > best.first) return false;
      const double distance = Distance(row, order_[place], best.first);
      const bool first = best.second == order_.size() || place < best.second;
      if (distance < best.first || (distance == best.first && first)) best = {distance, place};
      return true;
    };
    for (std::size_t at = Free(right_, middle); at < order_.size(); at = Free(right_, at + 1)) {
      if (!look(at) || best.first == 0) break;
    }
    for (std::size_t end = Free(left_, middle); end > 0; end = Free(left_, end - 1)) {
      if (!look(end - 1)) break;
    }
    return best;
  }

  std::size_t length_;
  std::vector<double> exact_;
  std::vector<double> other_;
  double limit_ = 0;
  std::size_t key_ = 0;
  std::vector<std::size_t> order_;  // rows of the other, sorted by column key_
  // Union-find over taken places: links to the next free place, and to the previous one.
  std::vector<std::size_t> right_;
  std::vector<std::size_t> left_;
};

// Copies one side's matched rows, in the order of the pairs.
ConstantTensor Gathered(const RowTable& table, Dtype dtype, const Pairs& pairs, bool exact) {
  ConstantTensor tensor({dtype, {static_cast<std::int64_t>(pairs.size() * table.length)}});
  std::byte* to = tensor.data.get();
  for (const auto& [left, right] : pairs) {
    if (table.RowBytes() == 0) break;
    std::memcpy(to, table.Row(exact ? left : right), table.RowBytes());
    to += table.RowBytes();
  }
  return tensor;
}

// Number of elements that are infinite or NaN.
std::size_t NotFinite(const ConstantTensor& tensor) {
  const ConstantTensor wide = Upcast(tensor);
  const std::size_t count = Elements(wide.type.dimensions);
  return static_cast<std::size_t>(std::count_if(wide.As<double>(), wide.As<double>() + count,
                                                [](double each) { return !std::isfinite(each); }));
}

}  // namespace

bool CanMatch(const Dimensions& one, const Dimensions& other) {
  return one == other || (one.size() == other.size() && Elements(one) != Elements(other));
}

TensorError ErrorByContent(const TensorType& type, const void* data, const ConstantTensor& exact) {
  if (Elements(type.dimensions) == Elements(exact.type.dimensions))
    return ErrorOf(type, data, exact);
  const auto axis = RowAxis(exact.type.dimensions, type.dimensions);
  const RowTable wanted = TakeRows(exact.type, exact.data.get(), axis);
  const RowTable got = TakeRows(type, data, axis);
  Pairs pairs;
  ConstantTensor numbers(type);
  if (!IsFloat(type.dtype)) {
    pairs = EqualRows(wanted, got);
  } else {
    if (const std::size_t bytes = Bytes(type); bytes != 0) {
      std::memcpy(numbers.data.get(), data, bytes);
    }
    const ConstantTensor wide = Upcast(numbers);
    pairs = CloseRows(wanted, TakeRows(wide.type, wide.data.get(), axis)).Find(wanted.count);
  }
  const ConstantTensor here = Gathered(got, type.dtype, pairs, false);
  TensorError error =
      ErrorOf(here.type, here.data.get(), Gathered(wanted, exact.type.dtype, pairs, true));
  if (IsFloat(type.dtype)) {
    const std::size_t expected = NotFinite(exact);
    const std::size_t found = NotFinite(numbers);
    error.not_finite += found > expected ? found - expected : 0;
  }
  error.rows = {pairs.size(), wanted.count - pairs.size(), got.count - pairs.size(), !axis};
  return error;
}

}  // namespace opledger
