// MXNet operators that index tensors. MXNet's indices are mostly floats; the kernels get integers.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "kernels/bindings/mxnet/node.h"

namespace opledger {
namespace {

// Returns input `input` as an operand of int64; float indices are truncated, as in MXNet.
int AsIndices(const MxnetNode& node, CallChain& chain, int input) {
  if (node.Input(static_cast<std::size_t>(input)).dtype == Dtype::kInt64) return input;
  const int cast = chain.Call("Cast", {input});
  chain.Last().parameters.Set("to", "int64");
  return cast;
}

// Clips or wraps indices outside of a dimension. `divisor`: the size, an operand.
int Within(CallChain& chain, int indices, std::int64_t size, const std::string& mode, int divisor) {
  if (mode == "wrap") return chain.Call("Mod", {indices, divisor});
  const int held = chain.Call("Clip", {indices});
  chain.Last().parameters.Set("min", 0.0);
  chain.Last().parameters.Set("max", static_cast<double>(size - 1));
  return held;
}

LoweredNode BindTakeAlong(const MxnetNode& node, int data, int indices, std::int64_t axis,
                          const std::string& mode) {
  const std::int64_t size =
      node.Shape(static_cast<std::size_t>(data))[static_cast<std::size_t>(axis)];
  if (size < 1) return Unsupported("it indexes an empty dimension");
  CallChain chain(node);
  const int divisor = chain.Scalar(Dtype::kInt64, static_cast<double>(size));
  const int places = AsIndices(node, chain, indices);
  const int within = Within(chain, places, size, mode, divisor);
  LoweredNode bound = std::move(chain).Finish("Gather", {data, within});
  bound.parameters.Set("axis", axis);
  return bound;
}

LoweredNode BindTake(const MxnetNode& node) {
  const auto axis = node.Axis("axis", 0);
  if (!axis) return Unsupported("its axis is out of range");
  return BindTakeAlong(node, 0, 1, *axis, node.Word("mode", "clip"));
}

LoweredNode BindEmbedding(const MxnetNode& node) {
  if (node.Rank(1) != 2) return Unsupported("its weight is not a matrix");
  return BindTakeAlong(node, 1, 0, 0, "clip");
}

// Picks one element of each row by its index; the axis is removed, or kept with size 1.
LoweredNode BindPick(const MxnetNode& node) {
  const bool batch = node.op() == "batch_take";
  const auto axis = batch ? node.Axis("axis", 1) : node.Axis("axis", -1);
  if (!axis || (!batch && !node.HasAttribute("axis") && node.Rank(0) < 1)) {
    return Unsupported("its axis is out of range");
  }
  Dimensions kept = node.Shape(0);
  const std::int64_t size = kept[static_cast<std::size_t>(*axis)];
  kept[static_cast<std::size_t>(*axis)] = 1;
  if (Elements(kept) != Elements(node.Shape(1)) || size < 1) {
    return Unsupported("its indices do not fit its input");
  }
  CallChain chain(node);
  const int divisor = chain.Scalar(Dtype::kInt64, static_cast<double>(size));
  const int places = AsIndices(node, chain, 1);
  const int within = Within(chain, places, size, node.Word("mode", "clip"), divisor);
  LoweredNode bound = std::move(chain).Finish("GatherElements", {0, within});
  bound.views[1] = kept;
  bound.parameters.Set("axis", *axis);
  Dimensions without = kept;
  without.erase(without.begin() + *axis);
  if (without.empty()) without = {1};
  bound.shapes[0] = node.Flag("keepdims", false) ? kept : without;
  return bound;
}

// The first dimension of the indices is the tuple; in ONNX and the kernel it is the last.
LoweredNode BindGatherNd(const MxnetNode& node) {
  if (node.Rank(1) < 1) return Unsupported("its indices are a scalar");
  CallChain chain(node);
  const int places = AsIndices(node, chain, 1);
  Integers order = AllAxes(node.Rank(1), 1);
  order.push_back(0);
  const int tuples = chain.Call("Transpose", {places});
  chain.Last().parameters.Set("order", order);
  return std::move(chain).Finish("GatherNd", {0, tuples});
}

// Scatters the data into zeros of the shape, at the positions that the tuples specify.
LoweredNode BindScatterNd(const MxnetNode& node) {
  if (node.Rank(1) < 1) return Unsupported("its indices are a scalar");
  const TensorType type{node.Input(0).dtype, node.List("shape")};
  if (!CheckSize(type)) return Unsupported(OutputProblem(type));
  CallChain chain(node);
  const int places = AsIndices(node, chain, 1);
  const int zeros = chain.Operand(FilledTensor(type, 0));
  Integers order = AllAxes(node.Rank(1), 1);
  order.push_back(0);
  const int tuples = chain.Transposed(places, order);
  LoweredNode bound = std::move(chain).Finish("ScatterNd", {zeros, tuples, 0});
  bound.parameters.Set("reduction", "none");
  return bound;
}

// Binds a matrix with the input, a vector, on diagonal `k`.
LoweredNode DiagonalMatrix(const MxnetNode& node, std::int64_t k) {
  const std::int64_t count = node.Shape(0)[0];
  const std::int64_t side = count + std::abs(k);
  const TensorType type{node.Input(0).dtype, {side, side}};
  if (!CheckSize(type)) return Unsupported(OutputProblem(type));
  CallChain chain(node);
  ConstantTensor places({Dtype::kInt64, {count, 2}});
  for (std::int64_t i = 0; i < count; ++i) {
    places.As<std::int64_t>()[2 * i] = i + std::max<std::int64_t>(-k, 0);
    places.As<std::int64_t>()[2 * i + 1] = i + std::max<std::int64_t>(k, 0);
  }
  const int zeros = chain.Operand(FilledTensor(type, 0));
  const int tuples = chain.Operand(std::move(places));
  LoweredNode bound = std::move(chain).Finish("ScatterNd", {zeros, tuples, 0});
  bound.parameters.Set("reduction", "none");
  return bound;
}

// For a vector, the matrix; for more dimensions, the diagonal of two of them, as the last
// dimension.
LoweredNode BindDiag(const MxnetNode& node) {
  const std::int64_t k = node.Integer("k", 0);
  if (node.Rank(0) < 1 || k < -(1 << 24) || k > 1 << 24)
    return Unsupported("its input is a scalar, or its k is out of range");
  if (node.Rank(0) == 1) return DiagonalMatrix(node, k);
  const auto rows = node.Axis("axis1", 0);
  const auto columns = node.Axis("axis2", 1);
  if (!rows || !columns || *rows == *columns)
    return Unsupported("its two axes are out of range or equal");
  const Dimensions& in = node.Shape(0);
  const Dimensions strides = Strides(in);
  const std::int64_t first = std::max<std::int64_t>(-k, 0);
  const std::int64_t length =
      std::min(in[*rows] - first, in[*columns] - std::max<std::int64_t>(k, 0));
  Dimensions out;
  Dimensions steps;
  for (std::int64_t d = 0; d < node.Rank(0); ++d) {
    if (d == *rows || d == *columns) continue;
    out.push_back(in[d]);
    steps.push_back(strides[d]);
  }
  if (length < 1) return Unsupported("its diagonal is empty");
  out.push_back(length);
  steps.push_back(strides[*rows] + strides[*columns]);
  const std::int64_t start =
      first * strides[*rows] + std::max<std::int64_t>(k, 0) * strides[*columns];
  Integers places(Elements(out), start);
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    for (std::size_t d = out.size(); d-- > 0; rest /= out[d]) places[i] += rest % out[d] * steps[d];
  }
  LoweredNode bound = BindFirst(node, "Take");
  bound.parameters.Set("flat", std::int64_t{1});
  bound.parameters.Set("axis", std::int64_t{0});
  bound.parameters.Set("indices", places);
  bound.shapes[0] = out;
  return bound;
}

LoweredNode BindOneHot(const MxnetNode& node) {
  const Dtype to = node.Type("dtype").value_or(Dtype::kFloat32);
  const std::int64_t depth = node.Integer("depth", 0);
  if (depth < 0) return Unsupported("its depth is negative");
  ConstantTensor values({to, {2}});
  for (std::size_t i = 0; i < 2; ++i) {
    const double value = i == 0 ? node.Number("off_value", 0) : node.Number("on_value", 1);
    const ConstantTensor one = FilledTensor({to, {}}, value);
    std::memcpy(values.data.get() + i * ElementSize(to), one.data.get(), ElementSize(to));
  }
  CallChain chain(node);
  const int pair = chain.Operand(std::move(values));
  const int min = chain.Scalar(Dtype::kInt64, static_cast<double>(depth));
  const int zero = chain.Scalar(Dtype::kInt64, 0);
  const int places = AsIndices(node, chain, 0);
  // The kernel counts negative indices from the end; for MXNet they are out of range.
  const int is_negative = chain.Call("Less", {places, zero});
  const int held = chain.Call("Where", {is_negative, min, places});
  LoweredNode bound = std::move(chain).Finish("OneHot", {held, pair});
  bound.parameters.Set("axis", node.Rank(0));
  bound.parameters.Set("depth", depth);
  return bound;
}

// A condition with one dimension selects rows.
LoweredNode BindWhere(const MxnetNode& node) {
  CallChain chain(node);
  const int truth = chain.Call("Cast", {0});
  chain.Last().parameters.Set("to", "bool");
  LoweredNode bound = std::move(chain).Finish("Where", {truth, 1, 2});
  if (node.Rank(0) == 1 && node.Rank(1) > 1) {
    Dimensions view(node.Shape(1).size(), 1);
    view[0] = node.Shape(0)[0];
    bound.views[0] = std::move(view);
  }
  return bound;
}

// The number of steps and of sequences; time is the first or second dimension.
struct Sequences {
  std::size_t time = 0;
  std::int64_t steps = 0;
  std::int64_t count = 0;
};

std::optional<Sequences> SequencesOf(const MxnetNode& node) {
  const std::int64_t axis = node.Integer("axis", 0);
  if (node.Rank(0) < 2 || (axis != 0 && axis != 1)) return std::nullopt;
  Sequences sequences;
  sequences.time = static_cast<std::size_t>(axis);
  sequences.steps = node.Shape(0)[sequences.time];
  sequences.count = node.Shape(0)[1 - sequences.time];
  return sequences;
}

bool HasLengths(const MxnetNode& node) {
  return node.Flag("use_sequence_length", false) && node.Has(1);
}

// 0, 1, 2 ...
ConstantTensor Counting(Dimensions shape) {
  ConstantTensor steps({Dtype::kInt64, std::move(shape)});
  const auto count = static_cast<std::int64_t>(Elements(steps.type.dimensions));
  for (std::int64_t i = 0; i < count; ++i) steps.As<std::int64_t>()[i] = i;
  return steps;
}

// Replaces the steps after the end of a sequence by a value.
LoweredNode BindSequenceMask(const MxnetNode& node) {
  if (!HasLengths(node)) return BindMxnetIdentity(node);
  const auto sequences = SequencesOf(node);
  if (!sequences) return Unsupported("its axis is out of range");
  Dimensions column(node.Shape(0).size(), 1);
  Dimensions row = column;
  column[sequences->time] = sequences->steps;
  row[1 - sequences->time] = sequences->count;
  if (Elements(node.Shape(1)) != static_cast<std::size_t>(sequences->count)) {
    return Unsupported("its lengths are not one for each sequence");
  }
  CallChain chain(node);
  const int steps = chain.Operand(Counting(column));
  const int value = chain.Scalar(node.Input(0).dtype, node.Number("value", 0));
  const int lengths = AsIndices(node, chain, 1);
  const int inside = chain.Call("Less", {steps, lengths});
  chain.Last().views[1] = row;
  return std::move(chain).Finish("Where", {inside, 0, value});
}

// Binds the last step of each sequence.
LoweredNode BindSequenceLast(const MxnetNode& node) {
  const auto sequences = SequencesOf(node);
  if (!sequences || sequences->steps < 1) return Unsupported("its axis is out of range");
  const Dimensions& shape = node.Shape(0);
  Dimensions out = shape;
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(sequences->time));
  if (!HasLengths(node)) {
    LoweredNode bound = BindFirst(node, "Slice");
    Integers starts(shape.size(), 0);
    starts[sequences->time] = sequences->steps - 1;
    Dimensions cut = shape;
    cut[sequences->time] = 1;
    bound.parameters.Set("starts", starts);
    bound.parameters.Set("steps", Integers(shape.size(), 1));
    bound.parameters.Set("shape", cut);
    bound.shapes[0] = std::move(out);
    return bound;
  }
  // Pairs of a step and a sequence, or the reverse.
  CallChain chain(node);
  const int one = chain.Scalar(Dtype::kInt64, 1);
  const int sequence = chain.Operand(Counting({sequences->count, 1}));
  const int lengths = AsIndices(node, chain, 1);
  const int last = chain.Call("Sub", {lengths, one});
  chain.Last().views[0] = {sequences->count, 1};
  const bool first = sequences->time == 0;
  const int pairs = chain.Call("Concat", {first ? last : sequence, first ? sequence : last});
  chain.Last().parameters.Set("axis", std::int64_t{1});
  return std::move(chain).Finish("GatherNd", {0, pairs});
}

// Time is always first.
LoweredNode BindSequenceReverse(const MxnetNode& node) {
  if (node.Rank(0) < 2) return Unsupported("it has no sequences");
  if (HasLengths(node)) {
    CallChain chain(node);
    const int lengths = AsIndices(node, chain, 1);
    LoweredNode bound = std::move(chain).Finish("ReverseSequence", {0, lengths});
    bound.parameters.Set("time", std::int64_t{0});
    return bound;
  }
  const Dimensions& shape = node.Shape(0);
  Integers starts(shape.size(), 0);
  Integers steps(shape.size(), 1);
  starts[0] = std::max<std::int64_t>(shape[0] - 1, 0);
  steps[0] = -1;
  LoweredNode bound = BindFirst(node, "Slice");
  bound.parameters.Set("starts", starts);
  bound.parameters.Set("steps", steps);
  bound.parameters.Set("shape", shape);
  return bound;
}

}  // namespace

const std::vector<MxnetBinding>& MxnetIndexing() {
  static const std::vector<MxnetBinding> kTable = {
      {"Embedding", BindEmbedding, 2},
      {"SequenceLast", BindSequenceLast},
      {"SequenceMask", BindSequenceMask},
      {"SequenceReverse", BindSequenceReverse},
      {"batch_take", BindPick, 2},
      {"diag", BindDiag},
      {"gather_nd", BindGatherNd, 2},
      {"one_hot", BindOneHot},
      {"pick", BindPick, 2},
      {"scatter_nd", BindScatterNd, 2},
      {"take", BindTake, 2},
      {"where", BindWhere, 3},
  };
  return kTable;
}

}  // namespace opledger
