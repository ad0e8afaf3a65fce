// Relative position bias of com.microsoft, added to attention scores by the distance of key and
// query. https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "kernels/bindings/call_chain.h"
#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

// Returns the row of the table for a distance: half of the rows are a single distance each, the
// others cover logarithmically growing ranges, and the last one everything beyond.
std::int64_t BucketOf(std::int64_t distance, std::int64_t rows, std::int64_t greatest,
                      bool both_ways) {
  if (both_ways) rows /= 2;
  const std::int64_t first = both_ways && distance > 0 ? rows : 0;
  const std::int64_t away = both_ways ? std::abs(distance) : std::max<std::int64_t>(-distance, 0);
  const std::int64_t exact = rows / 2;
  if (away < exact) return first + away;
  const float share = std::log(static_cast<float>(away) / static_cast<float>(exact)) /
                      std::log(static_cast<float>(greatest) / static_cast<float>(exact));
  const auto wide = static_cast<std::int64_t>(share * static_cast<float>(rows - exact));
  return first + std::min(exact + wide, rows - 1);
}

// Inputs: table (rows, heads), number of queries, number of keys. Output: the bias of the scores of
// all batches.
LoweredNode BindRelativePositions(const OnnxNode& node) {
  const auto queries = node.KnownInteger(1);
  const auto keys = node.KnownInteger(2);
  if (!queries || !keys) return Unsupported(NeedsValues("its lengths are computed at run time"));
  const std::int64_t greatest = node.Integer("max_distance", 0);
  const bool both_ways = node.Integer("is_bidirectional", 0) != 0;
  if (node.Rank(0) != 2 || node.Shape(0)[0] < (both_ways ? 4 : 2) ||
      greatest <= node.Shape(0)[0] / (both_ways ? 4 : 2)) {
    return Unsupported("its table does not fit its greatest distance");
  }
  const TensorType type{Dtype::kInt64, {*queries, *keys}};
  if (*queries < 0 || *keys < 0 || !CheckSize(type))
    return Unsupported("its lengths are out of range");
  ConstantTensor rows(type);
  for (std::int64_t i = 0; i < *queries * *keys; ++i) {
    rows.As<std::int64_t>()[i] =
        BucketOf(i % *keys - i / *keys, node.Shape(0)[0], greatest, both_ways);
  }
  CallChain chain(node);
  const int taken = chain.Gathered(0, chain.Operand(std::move(rows)), 0);
  const int of_heads = chain.Transposed(taken, {2, 0, 1});
  LoweredNode bound = std::move(chain).Finish("Reshape", {of_heads});
  bound.parameters.Set("shape", Dimensions{1, node.Shape(0)[1], *queries, *keys});
  return bound;
}

// Inputs: queries, bias of queries, position bias (as above), weights, bias, a factor for each
// head. Output: the position bias, each row multiplied by a gate computed from its query.
LoweredNode BindGatedPositions(const OnnxNode& node) {
  const std::int64_t heads = node.Integer("num_heads", 0);
  if (node.Has(6)) return Unsupported("its batches are packed");
  if (node.Rank(0) != 3 || node.Rank(3) != 2 || heads < 1 || node.Shape(0)[2] % heads != 0 ||
      node.Shape(3)[1] % 2 != 0) {
    return Unsupported("its queries do not fit its heads, or its weights do not fit two gates");
  }
  const Dimensions& x = node.Shape(0);
  const Dtype dtype = node.Input(0).dtype;
  CallChain chain(node);
  const int biased = chain.Call("Add", {0, 1});
  const int q =
      chain.Transposed(chain.Reshaped(biased, {x[0], x[1], heads, x[2] / heads}), {0, 2, 1, 3});
  const int products = chain.Call("Add", {chain.Call("MatMul", {q, 3}), 4});
  const int apart = chain.Reshaped(products, {x[0], heads, x[1], 2, node.Shape(3)[1] / 2});
  const int sums = chain.Call("ReduceSum", {apart});
  chain.Last().parameters.Set("axes", Integers{4});
  chain.Last().parameters.Set("keep", std::int64_t{0});
  const int update = chain.Split(chain.Call("Sigmoid", {sums}), 3, {1, 1});
  const int reset = chain.Call("Sub", {chain.Call("Mul", {update + 1, 5}), chain.Scalar(dtype, 1)});
  const int gate = chain.Call("Add", {chain.Call("Mul", {update, reset}), chain.Scalar(dtype, 2)});
  return std::move(chain).Finish("Mul", {gate, 2});
}

}  // namespace

const std::vector<OnnxBinding>& RuntimePositions() {
  static const std::vector<OnnxBinding> kTable = {
      {"GatedRelativePositionBias", BindGatedPositions},
      {"RelativePositionBias", BindRelativePositions},
  };
  return kTable;
}

}  // namespace opledger
