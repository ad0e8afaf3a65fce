// MXNet operators that give the same numbers another shape, or give shapes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/bindings/mxnet/node.h"

namespace opledger {
namespace {

// What is left of the input's dimensions, and what the output has so far.
struct Reshaping {
  Dimensions from;
  std::size_t next = 0;
  Dimensions to;
  std::optional<std::size_t> inferred;  // which dimension is what is left

  bool Has(std::size_t more) const { return next + more <= from.size(); }
};

// -4: one dimension becomes two, of which one may be left open.
bool Split(std::int64_t first, std::int64_t second, Reshaping& reshaping) {
  const std::int64_t whole = reshaping.from[reshaping.next++];
  if (first == -1) first = second < 1 ? 0 : whole / second;
  if (second == -1) second = first < 1 ? 0 : whole / first;
  reshaping.to.insert(reshaping.to.end(), {first, second});
  return first >= 1 && second >= 1;
}

// One code of the shape at `at`, which it moves behind what it has read. False: it means nothing.
bool Apply(const Integers& codes, std::size_t& at, Reshaping& reshaping) {
  const std::int64_t code = codes[at++];
  if (code > 0) {
    reshaping.to.push_back(code);
    ++reshaping.next;
    return true;
  }
  switch (code) {
    case 0:
      if (!reshaping.Has(1)) return false;
      reshaping.to.push_back(reshaping.from[reshaping.next++]);
      return true;
    case -1:
      if (reshaping.inferred) return false;
      reshaping.inferred = reshaping.to.size();
      reshaping.to.push_back(1);
      ++reshaping.next;
      return true;
    case -2:
      while (reshaping.Has(1)) reshaping.to.push_back(reshaping.from[reshaping.next++]);
      return true;
    case -3:
      if (!reshaping.Has(2)) return false;
      reshaping.to.push_back(reshaping.from[reshaping.next] * reshaping.from[reshaping.next + 1]);
      reshaping.next += 2;
      return true;
    case -4:
      if (!reshaping.Has(1) || at + 2 > codes.size()) return false;
      at += 2;
      return Split(codes[at - 2], codes[at - 1], reshaping);
    default:
      return false;
  }
}

// `reverse`: the codes are read from the last one on.
std::optional<Dimensions> ReshapedBy(Integers codes, Dimensions from, bool reverse) {
  const auto elements = static_cast<std::int64_t>(Elements(from));
  if (reverse) {
    std::reverse(codes.begin(), codes.end());
    std::reverse(from.begin(), from.end());
  }
  Reshaping reshaping;
  reshaping.from = std::move(from);
  for (std::size_t at = 0; at < codes.size();) {
    if (!Apply(codes, at, reshaping)) return std::nullopt;
  }
  if (reshaping.inferred) {
    std::int64_t known = 1;
    for (const std::int64_t each : reshaping.to) {
      if (__builtin_mul_overflow(known, each, &known)) return std::nullopt;
    }
    if (known == 0 || elements % known != 0) return std::nullopt;
    reshaping.to[*reshaping.inferred] = elements / known;
  }
  if (reverse) std::reverse(reshaping.to.begin(), reshaping.to.end());
  return reshaping.to;
}

Bound BindReshape(const MxnetNode& node) {
  Integers codes = node.List("shape");
  if (codes.empty()) {  // of before 0.9
    codes = node.List("target_shape");
    const bool keep = node.Flag("keep_highest", false);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (codes[i] == 0) codes[i] = i == 0 && keep ? 0 : -1;
    }
  }
  const auto shape = ReshapedBy(codes, node.Shape(0), node.Flag("reverse", false));
  if (codes.empty() || !shape) return Unbound("its shape does not fit " + Text(node.Input(0)));
  return BindMxnetReshape(node, *shape);
}

// Of both inputs whole, or of dimensions [begin, end) of each.
Bound BindReshapeLike(const MxnetNode& node) {
  const auto place = [&](const char* name, std::size_t input, std::int64_t absent) {
    const std::int64_t at = node.Integer(name, absent);
    return std::clamp<std::int64_t>(at < 0 ? at + node.Rank(input) : at, 0, node.Rank(input));
  };
  const std::int64_t begin = place("lhs_begin", 0, 0);
  const std::int64_t end = place("lhs_end", 0, node.Rank(0));
  const std::int64_t from = place("rhs_begin", 1, 0);
  const std::int64_t until = place("rhs_end", 1, node.Rank(1));
  if (begin > end || from > until) return Unbound("its dimensions are none");
  const Dimensions& left = node.Shape(0);
  const Dimensions& right = node.Shape(1);
  Dimensions shape(left.begin(), left.begin() + begin);
  shape.insert(shape.end(), right.begin() + from, right.begin() + until);
  shape.insert(shape.end(), left.begin() + end, left.end());
  return BindMxnetReshape(node, std::move(shape));
}

Bound BindFlatten(const MxnetNode& node) {
  const Dimensions& shape = node.Shape(0);
  if (shape.empty()) return Unbound("it flattens a scalar");
  return BindMxnetReshape(node, {shape[0], ProductOf(shape, 1, shape.size())});
}

Bound BindExpandDims(const MxnetNode& node) {
  const std::int64_t rank = node.Rank(0) + 1;
  const std::int64_t given = node.Integer("axis", 0);
  const std::int64_t axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis >= rank) return Unbound("it has no such axis");
  Dimensions shape = node.Shape(0);
  shape.insert(shape.begin() + axis, 1);
  return BindMxnetReshape(node, std::move(shape));
}

// Of all ones one stays, where nothing else would.
Bound BindSqueeze(const MxnetNode& node) {
  const Dimensions& from = node.Shape(0);
  std::vector<bool> goes(from.size());
  for (std::size_t d = 0; d < from.size(); ++d) goes[d] = from[d] == 1;
  if (node.HasAttribute("axis")) {
    goes.assign(from.size(), false);
    for (std::int64_t axis : node.List("axis")) {
      axis += axis < 0 ? node.Rank(0) : 0;
      if (axis < 0 || axis >= node.Rank(0) || from[static_cast<std::size_t>(axis)] != 1) {
        return Unbound("it takes out a dimension that is not 1");
      }
      goes[static_cast<std::size_t>(axis)] = true;
    }
  }
  Dimensions shape;
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (!goes[d]) shape.push_back(from[d]);
  }
  if (shape.empty()) shape = {1};
  return BindMxnetReshape(node, std::move(shape));
}

Bound ConstantOf(const Integers& values) {
  ConstantTensor tensor({Dtype::kInt64, {static_cast<std::int64_t>(values.size())}});
  std::copy(values.begin(), values.end(), tensor.As<std::int64_t>());
  Bound bound;
  bound.constants.push_back(std::move(tensor));
  return bound;
}

Bound BindShapeArray(const MxnetNode& node) { return ConstantOf(node.Shape(0)); }
Bound BindSizeArray(const MxnetNode& node) {
  return ConstantOf({static_cast<std::int64_t>(Elements(node.Shape(0)))});
}

}  // namespace

const std::vector<MxnetBinding>& MxnetShapes() {
  static const std::vector<MxnetBinding> kTable = {
      {"Flatten", BindFlatten},
      {"Reshape", BindReshape},
      {"_npi_squeeze", BindSqueeze},
      {"expand_dims", BindExpandDims},
      {"reshape_like", BindReshapeLike, 2},
      {"shape_array", BindShapeArray},
      {"size_array", BindSizeArray},
      {"squeeze", BindSqueeze},
  };
  return kTable;
}

}  // namespace opledger
