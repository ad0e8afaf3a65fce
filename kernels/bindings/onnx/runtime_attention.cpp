// The attention operators of com.microsoft: products, masks and positions around the attention
// kernel.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "kernels/bindings/call_chain.h"
#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

constexpr std::int64_t kMaxHeads = 1 << 20;

bool IsOf(const OnnxNode& node, std::size_t input, const Dimensions& shape) {
  return node.Has(input) && node.Shape(input) == shape;
}

// Indices in a chain; -1: none. And the sizes of the attention.
struct AttentionParts {
  int q = -1;
  int k = -1;
  int v = -1;
  int bias = -1;  // added to the scores
  int past_k = -1;
  int past_v = -1;
  std::int64_t batches = 0;
  std::int64_t rows = 0;     // of queries
  std::int64_t columns = 0;  // of keys, including past ones
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::optional<Dtype> dtype = {};  // of the scores; nullopt: that of the first input
};

// 0 where the condition holds, otherwise the value that masks a score.
int BiasOf(CallChain& chain, const OnnxNode& node, const AttentionParts& parts, int kept) {
  const Dtype dtype = parts.dtype.value_or(node.Input(0).dtype);
  const double masked = node.Number("mask_filter_value", -10000);
  return chain.Call("Where", {kept, chain.Scalar(dtype, 0), chain.Scalar(dtype, masked)});
}

// Adds the columns 0, 1, ... as int32 [1, 1, 1, columns]. The caller has checked the size.
int ColumnNumbers(CallChain& chain, std::int64_t columns) {
  ConstantTensor numbers({Dtype::kInt32, {1, 1, 1, columns}});
  std::iota(numbers.As<std::int32_t>(), numbers.As<std::int32_t>() + columns, 0);
  return chain.Operand(std::move(numbers));
}

// Adds a mask of columns: an element for each column, or for each row and column; or for each batch
// the end of its columns, and optionally the start. Returns a problem, or an empty string.
std::string AddMask(CallChain& chain, const OnnxNode& node, std::size_t input,
                    AttentionParts& parts) {
  if (!node.Has(input)) return {};
  if (node.Input(input).dtype != Dtype::kInt32) return "its mask is not int32";
  const auto number = static_cast<int>(input);
  const std::int64_t b = parts.batches;
  const std::int64_t t = parts.columns;
  const Dimensions& shape = node.Shape(input);
  const int zero = chain.Scalar(Dtype::kInt32, 0);
  int kept = -1;
  if (shape == Dimensions{b, t} || shape == Dimensions{b, parts.rows, t}) {
    const std::int64_t rows = shape.size() == 2 ? 1 : parts.rows;
    kept = chain.Call("Greater", {chain.Reshaped(number, {b, 1, rows, t}), zero});
  } else if (shape == Dimensions{b} || shape == Dimensions{2 * b}) {
    if (!CheckSize({Dtype::kInt32, {t}})) return "it has too many keys";
    const int columns = ColumnNumbers(chain, t);
    const bool starts = shape[0] == 2 * b;
    const int first = starts ? chain.Split(number, 0, {b, b}) : number;
    kept = chain.Call("Less", {columns, chain.Reshaped(first, {b, 1, 1, 1})});
    if (starts) {
      const int after =
          chain.Call("GreaterOrEqual", {columns, chain.Reshaped(first + 1, {b, 1, 1, 1})});
      kept = chain.Call("And", {kept, after});
    }
  } else {
    return "its mask has an unsupported shape";
  }
  parts.bias = BiasOf(chain, node, parts, kept);
  return {};
}

// Adds the model's bias to the scores.
void AddBias(CallChain& chain, const OnnxNode& node, std::size_t input, AttentionParts& parts) {
  if (!node.Has(input)) return;
  const auto number = static_cast<int>(input);
  parts.bias = parts.bias < 0 ? number : chain.Call("Add", {parts.bias, number});
}

void SetAttention(const OnnxNode& node, const AttentionParts& parts, Parameters& parameters) {
  parameters.Set("q_heads", parts.heads);
  parameters.Set("kv_heads", parts.kv_heads);
  if (const double scale = node.Number("scale", 0); scale != 0) parameters.Set("scale", scale);
}

// Calls the kernel; returns the index of y, then keys and values.
int Attend(CallChain& chain, const OnnxNode& node, const AttentionParts& parts, bool causal,
           int outputs) {
  const int y = chain.CallForAll(
      "Attention", {parts.q, parts.k, parts.v, parts.bias, parts.past_k, parts.past_v}, outputs);
  SetAttention(node, parts, chain.Last().parameters);
  chain.Last().parameters.Set("causal", std::int64_t{causal ? 1 : 0});
  return y;
}

// Attention. Inputs: x, weights, bias, mask, past (keys and values), bias of the scores.
struct ProjectedAttention {
  Integers sizes;  // of a row of q, k and v
  std::int64_t head = 0;
};

std::string ReadProjected(const OnnxNode& node, AttentionParts& parts, ProjectedAttention& read) {
  const std::int64_t heads = node.Integer("num_heads", 0);
  if (node.Rank(0) != 3 || node.Rank(1) != 2 || heads < 1 || heads > kMaxHeads) {
    return "its input does not fit its heads";
  }
  const std::int64_t all = node.Shape(1)[1];
  read.sizes = node.List("qkv_hidden_sizes");
  if (read.sizes.empty()) read.sizes = {all / 3, all / 3, all / 3};
  if (read.sizes.size() != 3 ||
      std::any_of(read.sizes.begin(), read.sizes.end(),
                  [&](std::int64_t size) { return size < 1 || size > all || size % heads != 0; }) ||
      read.sizes[0] != read.sizes[1] || 2 * read.sizes[0] + read.sizes[2] != all) {
    return "its weights do not fit queries, keys and values";
  }
  if (node.Integer("do_rotary", 0) != 0 || node.Integer("past_present_share_buffer", 0) != 0) {
    return "it has rotary embeddings, or its past is written in place";
  }
  read.head = read.sizes[0] / heads;
  parts.batches = node.Shape(0)[0];
  parts.rows = parts.columns = node.Shape(0)[1];
  parts.heads = parts.kv_heads = heads;
  return {};
}

// Splits [2, batches, heads, rows, elements] into keys and values.
std::string AddPast(CallChain& chain, const OnnxNode& node, std::size_t input, std::int64_t head,
                    AttentionParts& parts) {
  if (!node.Has(input)) return {};
  if (node.Rank(input) != 5) return "its past does not have 5 dimensions";
  const Dimensions past(node.Shape(input).begin() + 1, node.Shape(input).end());
  if (node.Shape(input)[0] != 2 || past != Dimensions{parts.batches, parts.heads, past[2], head}) {
    return "its past does not fit its heads";
  }
  const int first = chain.Split(static_cast<int>(input), 0, {1, 1});
  parts.past_k = chain.Reshaped(first, past);
  parts.past_v = chain.Reshaped(first + 1, past);
  parts.columns += past[2];
  return {};
}

// Completes the operator from the projected q, k and v.
LoweredNode FinishProjected(CallChain&& chain, const OnnxNode& node, int projected,
                            const ProjectedAttention& read, std::size_t mask, std::size_t past,
                            std::size_t bias, AttentionParts& parts) {
  parts.q = chain.Split(projected, 2, read.sizes);
  parts.k = parts.q + 1;
  parts.v = parts.q + 2;
  std::string problem = AddPast(chain, node, past, read.head, parts);
  if (problem.empty()) problem = AddMask(chain, node, mask, parts);
  if (!problem.empty()) return Unsupported(problem);
  if (bias != 0) AddBias(chain, node, bias, parts);
  const bool present = node.Wants(1);
  const int y = Attend(chain, node, parts, node.Integer("unidirectional", 0) != 0, present ? 3 : 1);
  if (present) {
    const std::int64_t value = read.sizes[2] / parts.heads;
    if (value != read.head) return Unsupported("its keys and values differ in size");
    const Dimensions one = {1, parts.batches, parts.heads, parts.columns, read.head};
    const int k = chain.Reshaped(y + 1, one);
    const int v = chain.Reshaped(y + 2, one);
    chain.Give("Concat", {k, v}, 1);
    chain.Last().parameters.Set("axis", std::int64_t{0});
  }
  return std::move(chain).FinishFirst("Identity", {y});
}

LoweredNode BindProjectedAttention(const OnnxNode& node) {
  AttentionParts parts;
  ProjectedAttention read;
  if (std::string problem = ReadProjected(node, parts, read); !problem.empty()) {
    return Unsupported(problem);
  }
  if (node.Has(6)) return Unsupported("the length of its past is an input, which is not supported");
  CallChain chain(node);
  int projected = chain.Call("MatMul", {0, 1});
  if (node.Has(2)) projected = chain.Call("Add", {projected, 2});
  return FinishProjected(std::move(chain), node, projected, read, 3, 4, 5, parts);
}

// Inputs: x and weights as 8-bit integers, bias, both scales, mask, both zero points, past.
LoweredNode BindQAttention(const OnnxNode& node) {
  AttentionParts parts;
  ProjectedAttention read;
  if (std::string problem = ReadProjected(node, parts, read); !problem.empty()) {
    return Unsupported(problem);
  }
  CallChain chain(node);
  const int sums = chain.Call("MatMulInteger", {0, 1, NumberOf(node, 6), NumberOf(node, 7)});
  const int scale = chain.Call("Mul", {3, 4});
  const int wide = chain.Cast(sums, node.Input(3).dtype);
  const int products = chain.Call("Mul", {wide, scale});
  const int projected = chain.Call("Add", {products, 2});
  parts.dtype = node.Input(3).dtype;
  return FinishProjected(std::move(chain), node, projected, read, 5, 8, 0, parts);
}

// MultiHeadAttention. Inputs: q, k, v (or two or three of them packed), bias, mask of keys, bias of
// the scores, past keys and values.

// Splits [batches, rows, heads, n, elements] into n tensors [batches, rows, heads * elements].
int Unpacked(CallChain& chain, const OnnxNode& node, std::size_t input, std::int64_t n) {
  const Dimensions& packed = node.Shape(input);
  const int first = chain.Split(static_cast<int>(input), 3, Integers(n, 1));
  int rows = 0;
  for (int i = 0; i < static_cast<int>(n); ++i) {
    const int part = chain.Reshaped(first + i, {packed[0], packed[1], packed[2] * packed[4]});
    if (i == 0) rows = part;
  }
  return rows;  // the indices are consecutive
}

bool IsPacked(const OnnxNode& node, std::size_t input, std::int64_t heads, std::int64_t n) {
  return node.Has(input) && node.Rank(input) == 5 && node.Shape(input)[2] == heads &&
         node.Shape(input)[3] == n;
}

std::string ReadHeads(CallChain& chain, const OnnxNode& node, AttentionParts& parts) {
  parts.heads = parts.kv_heads = node.Integer("num_heads", 0);
  if (parts.heads < 1 || parts.heads > kMaxHeads) return "it has no heads";
  if (IsPacked(node, 0, parts.heads, 3) && !node.Has(1)) {
    parts.q = Unpacked(chain, node, 0, 3);
    parts.k = parts.q + 1;
    parts.v = parts.q + 2;
    parts.rows = parts.columns = node.Shape(0)[1];
  } else if (node.Rank(0) == 3 && IsPacked(node, 1, parts.heads, 2) && !node.Has(2)) {
    parts.k = Unpacked(chain, node, 1, 2);
    parts.v = parts.k + 1;
    parts.q = 0;
    parts.rows = node.Shape(0)[1];
    parts.columns = node.Shape(1)[1];
  } else if (node.Rank(0) == 3 && node.Has(1) && node.Has(2) && node.Rank(1) == node.Rank(2) &&
             (node.Rank(1) == 3 || node.Rank(1) == 4)) {
    parts.q = 0;
    parts.k = 1;
    parts.v = 2;
    parts.rows = node.Shape(0)[1];
    parts.columns = node.Shape(1)[node.Rank(1) == 3 ? 1 : 2];
  } else {
    return "its queries, keys and values have unsupported shapes";
  }
  parts.batches = node.Shape(0)[0];
  return {};
}

// Adds the bias of q, k and v, concatenated in one vector.
std::string AddProjectionBias(CallChain& chain, const OnnxNode& node, AttentionParts& parts) {
  if (!node.Has(3)) return {};
  const bool packed = node.Rank(0) == 5;
  const std::int64_t q = packed ? node.Shape(0)[2] * node.Shape(0)[4] : node.Shape(0)[2];
  if (node.Rank(3) != 1 || node.Shape(3)[0] < 2 * q) return "its bias does not fit its heads";
  if (node.Has(1) && node.Rank(1) == 4) return "it has a bias, and keys that are split by head";
  const int first = chain.Split(3, 0, {q, q, node.Shape(3)[0] - 2 * q});
  parts.q = chain.Call("Add", {parts.q, first});
  parts.k = chain.Call("Add", {parts.k, first + 1});
  parts.v = chain.Call("Add", {parts.v, first + 2});
  return {};
}

LoweredNode BindMultiHeadAttention(const OnnxNode& node) {
  if (node.Has(8) || node.Has(9) || node.Wants(3)) {
    return Unsupported("its past is written in place, or its scores are an output");
  }
  CallChain chain(node);
  AttentionParts parts;
  std::string problem = ReadHeads(chain, node, parts);
  if (problem.empty()) problem = AddProjectionBias(chain, node, parts);
  if (!problem.empty()) return Unsupported(problem);
  parts.past_k = NumberOf(node, 6);
  parts.past_v = NumberOf(node, 7);
  if (node.Has(6)) {
    if (node.Rank(6) != 4) return Unsupported("its past does not have 4 dimensions");
    parts.columns += node.Shape(6)[2];
  }
  problem = AddMask(chain, node, 4, parts);
  if (!problem.empty()) return Unsupported(problem);
  AddBias(chain, node, 5, parts);
  const bool apart = node.Has(1) && node.Rank(1) == 4;
  if (apart) {  // queries as well
    const Dimensions& q = node.Shape(0);
    if (q[2] % parts.heads != 0) return Unsupported("its heads do not divide its queries");
    parts.q = chain.Transposed(
        chain.Reshaped(parts.q, {q[0], q[1], parts.heads, q[2] / parts.heads}), {0, 2, 1, 3});
  }
  const bool present = node.Wants(1) || node.Wants(2);
  int y = Attend(chain, node, parts, node.Integer("unidirectional", 0) != 0, present ? 3 : 1);
  if (node.Wants(1)) chain.Give("Identity", {y + 1}, 1);
  if (node.Wants(2)) chain.Give("Identity", {y + 2}, 2);
  if (!apart) return std::move(chain).FinishFirst("Identity", {y});
  const Dimensions rows = {parts.batches, parts.rows, parts.heads * node.Shape(2)[3]};
  y = chain.Transposed(y, {0, 2, 1, 3});
  LoweredNode bound = std::move(chain).FinishFirst("Reshape", {y});
  bound.parameters.Set("shape", rows);
  return bound;
}

// RotaryEmbedding. Inputs: x, positions (of each row, or of the first), cosines, sines.
int Rotated(CallChain& chain, const OnnxNode& node, int x, int positions, int cosines, int sines,
            std::int64_t heads) {
  const int y = chain.Call("RotaryEmbedding", {x, cosines, sines, positions});
  Parameters& parameters = chain.Last().parameters;
  parameters.Set("heads", heads);
  parameters.Set("pairs", node.Integer("rotary_embedding_dim", 0) / 2);
  parameters.Set(
      "interleaved",
      node.Integer(node.op() == "RotaryEmbedding" ? "interleaved" : "rotary_interleaved", 0));
  return y;
}

// [batches, rows] of int64: `first`, `first` + 1, ...
std::optional<ConstantTensor> RowNumbers(std::int64_t batches, std::int64_t rows,
                                         std::int64_t first) {
  const TensorType type{Dtype::kInt64, {batches, rows}};
  if (!CheckSize(type)) return std::nullopt;
  ConstantTensor numbers(type);
  for (std::int64_t i = 0; i < batches * rows; ++i) {
    numbers.As<std::int64_t>()[i] = first + i % rows;
  }
  return numbers;
}

LoweredNode BindRuntimeRotary(const OnnxNode& node) {
  const std::int64_t rank = node.Rank(0);
  if ((rank != 3 && rank != 4) || node.Rank(2) != 2) {
    return Unsupported("its input does not have 3 or 4 dimensions, or its tables are not matrices");
  }
  if (node.Integer("is_packed_batching", 0) != 0) return Unsupported("its batches are packed");
  const double scale = node.Number("scale", 1);
  if (scale != 1) return Unsupported("it has a scale, which ONNX Runtime ignores");
  const Dimensions& x = node.Shape(0);
  const std::int64_t rows = x[rank == 4 ? 2 : 1];
  std::int64_t heads = node.Integer("num_heads", 0);
  if (rank == 3 && heads == 0 && node.Shape(2)[1] > 0) heads = x[2] / (2 * node.Shape(2)[1]);
  CallChain chain(node);
  int positions = 1;
  if (Elements(node.Shape(1)) == 1 && node.Shape(1) != Dimensions{x[0], rows}) {
    auto numbers = RowNumbers(x[0], rows, 0);
    if (!numbers) return Unsupported("it has too many rows");
    positions = chain.Call("Add", {chain.Operand(std::move(*numbers)), 1});
  }
  const int y = Rotated(chain, node, 0, positions, 2, 3, heads);
  return std::move(chain).Finish("Identity", {y});
}

// GroupQueryAttention. Inputs: q (or all three packed), k, v, past keys and values, the number of
// columns of each batch minus one, the maximum number of columns, cosines, sines, positions, bias
// of the scores.

struct GroupedShape {
  std::int64_t head = 0;
  Integers pasts = {};     // valid past columns of each batch, or a single number for all
  std::int64_t given = 0;  // columns of the past input
  std::int64_t room = 0;   // columns of the resulting keys and values
};

std::string ReadGrouped(const OnnxNode& node, AttentionParts& parts, GroupedShape& shape,
                        Status& needs) {
  parts.heads = node.Integer("num_heads", 0);
  parts.kv_heads = node.Integer("kv_num_heads", 0);
  if (node.Rank(0) != 3 || parts.heads < 1 || parts.kv_heads < 1 ||
      parts.heads % parts.kv_heads != 0 || parts.heads > kMaxHeads) {
    return "its input does not fit its groups of heads";
  }
  for (const char* name : {"smooth_softmax", "k_quant_type", "v_quant_type"}) {
    if (node.HasAttribute(name) && node.Integer(name, 0) > 0) return std::string("it has ") + name;
  }
  if (node.Has(11) || node.Has(12) || node.Has(13))
    return "it has a head sink or a quantized cache";
  const bool packed = !node.Has(1);
  const std::int64_t parts_of_row = packed ? parts.heads + 2 * parts.kv_heads : parts.heads;
  if (node.Shape(0)[2] % parts_of_row != 0) return "its heads do not divide its input";
  shape.head = node.Shape(0)[2] / parts_of_row;
  parts.batches = node.Shape(0)[0];
  parts.rows = node.Shape(0)[1];
  const Dimensions rows = {parts.batches, parts.rows, parts.kv_heads * shape.head};
  if (!packed && (!IsOf(node, 1, rows) || !IsOf(node, 2, rows))) {
    return "its keys and values do not fit its queries";
  }
  const auto lengths = node.KnownIntegers(5);
  const auto total = node.KnownInteger(6);
  if (!lengths || !total) {
    needs = NeedsValues("its sequence lengths are known only at run time");
    return {};
  }
  if (lengths->empty() || *total < parts.rows || *total > 1 << 30) {
    return "its sequence lengths are out of range";
  }
  const bool prompt = *total == parts.rows;
  const bool alike = std::all_of(lengths->begin(), lengths->end(),
                                 [&](std::int64_t each) { return each == *total - 1; });
  shape.pasts = {*total - parts.rows};
  if (!prompt && !alike) {
    shape.pasts.clear();
    for (const std::int64_t each : *lengths) shape.pasts.push_back(each + 1 - parts.rows);
    if (static_cast<std::int64_t>(shape.pasts.size()) != parts.batches || node.Has(10)) {
      return "its pasts differ in length, and it has a bias or another number of batches";
    }
  }
  const bool has_past = node.Has(3) && node.Has(4);
  const std::int64_t given = has_past && node.Rank(3) == 4 ? node.Shape(3)[2] : 0;
  const Dimensions past = {parts.batches, parts.kv_heads, given, shape.head};
  if (has_past && (!IsOf(node, 3, past) || !IsOf(node, 4, past))) {
    return "its past does not fit its keys and values";
  }
  for (const std::int64_t past : shape.pasts) {
    if (past < 0 || past > given) return "its past is shorter than its lengths";
  }
  shape.given = given;
  shape.room = std::max(given, *total);
  parts.columns = *total;
  return {};
}

// Returns the index of the first `past` of `given` columns; -1 if `past` is 0.
int PastColumns(CallChain& chain, int columns, std::int64_t given, std::int64_t past) {
  if (past == 0) return -1;
  return past == given ? columns : chain.Split(columns, 2, {past, given - past});
}

// Attention of batches with a past of the same length. Returns the index of y, then keys and values
// of the valid length. `positions`: of their rows; -1: following the past.
int AttendGroup(CallChain& chain, const OnnxNode& node, AttentionParts parts,
                const GroupedShape& shape, std::int64_t past, int positions) {
  if (node.Integer("do_rotary", 0) != 0) {
    if (positions < 0) {
      auto numbers = RowNumbers(parts.batches, parts.rows, past);
      positions = numbers ? chain.Operand(std::move(*numbers)) : -1;
    }
    parts.q = Rotated(chain, node, parts.q, positions, 7, 8, parts.heads);
    parts.k = Rotated(chain, node, parts.k, positions, 7, 8, parts.kv_heads);
  }
  parts.columns = past + parts.rows;
  parts.past_k = PastColumns(chain, parts.past_k, shape.given, past);
  parts.past_v = PastColumns(chain, parts.past_v, shape.given, past);
  AddBias(chain, node, 10, parts);
  const int y = Attend(chain, node, parts, true, 3);
  Parameters& parameters = chain.Last().parameters;
  parameters.Set("cap", node.Number("softcap", 0));
  const std::int64_t window = node.Integer("local_window_size", -1);  // includes the row
  parameters.Set("left", window > 0 ? window - 1 : -1);
  return y;
}

// Pads keys or values with zeros at the end.
int WithRoom(CallChain& chain, int columns, std::int64_t more) {
  const int padded = chain.Call("Pad", {columns});
  chain.Last().parameters.Set("begin", Integers{0, 0, 0, 0});
  chain.Last().parameters.Set("end", Integers{0, 0, more, 0});
  return padded;
}

// Runs each batch separately, because their pasts differ in length.
LoweredNode FinishApart(CallChain&& chain, const OnnxNode& node, const AttentionParts& parts,
                        const GroupedShape& shape) {
  const Integers ones(shape.pasts.size(), 1);
  AttentionParts all = parts;
  for (int* each : {&all.q, &all.k, &all.v, &all.past_k, &all.past_v}) {
    if (*each >= 0) *each = chain.Split(*each, 0, ones);
  }
  const int positions = node.Has(9) ? chain.Split(9, 0, ones) : -1;
  std::vector<int> results[3];
  for (int b = 0; b < static_cast<int>(ones.size()); ++b) {
    AttentionParts one = all;
    one.batches = 1;
    for (int* each : {&one.q, &one.k, &one.v, &one.past_k, &one.past_v}) {
      if (*each >= 0) *each += b;
    }
    const std::int64_t past = shape.pasts[static_cast<std::size_t>(b)];
    const int y = AttendGroup(chain, node, one, shape, past, positions < 0 ? -1 : positions + b);
    results[0].push_back(y);
    for (const int kept : {1, 2}) {
      if (!node.Wants(static_cast<std::size_t>(kept))) continue;
      results[kept].push_back(WithRoom(chain, y + kept, shape.room - past - parts.rows));
    }
  }
  for (const int kept : {1, 2}) {
    if (results[kept].empty()) continue;
    chain.Give("Concat", results[kept], kept);
    chain.Last().parameters.Set("axis", std::int64_t{0});
  }
  LoweredNode bound = std::move(chain).FinishFirst("Concat", results[0]);
  bound.parameters.Set("axis", std::int64_t{0});
  return bound;
}

LoweredNode BindGrouped(const OnnxNode& node) {
  AttentionParts parts;
  GroupedShape shape;
  Status needs;
  std::string problem = ReadGrouped(node, parts, shape, needs);
  if (!problem.empty() || !needs.ok()) return Unsupported(problem.empty() ? needs : problem);
  CallChain chain(node);
  parts.q = 0;
  parts.k = 1;
  parts.v = 2;
  if (!node.Has(1)) {
    const std::int64_t kv = parts.kv_heads * shape.head;
    parts.q = chain.Split(0, 2, {parts.heads * shape.head, kv, kv});
    parts.k = parts.q + 1;
    parts.v = parts.q + 2;
  }
  if (!RowNumbers(parts.batches, parts.rows, 0)) return Unsupported("it has too many rows");
  if (shape.given > 0) {
    parts.past_k = 3;
    parts.past_v = 4;
  }
  if (shape.pasts.size() > 1) return FinishApart(std::move(chain), node, parts, shape);
  const std::int64_t past = shape.pasts[0];
  const int y = AttendGroup(chain, node, parts, shape, past, node.Has(9) ? 9 : -1);
  for (const int kept : {1, 2}) {
    if (!node.Wants(static_cast<std::size_t>(kept))) continue;
    chain.Give("Pad", {y + kept}, kept);
    chain.Last().parameters.Set("begin", Integers{0, 0, 0, 0});
    chain.Last().parameters.Set("end", Integers{0, 0, shape.room - past - parts.rows, 0});
  }
  return std::move(chain).FinishFirst("Identity", {y});
}

}  // namespace

const std::vector<OnnxBinding>& RuntimeAttention() {
  static const std::vector<OnnxBinding> kTable = {
      {"Attention", BindProjectedAttention},          {"GroupQueryAttention", BindGrouped},
      {"MultiHeadAttention", BindMultiHeadAttention}, {"QAttention", BindQAttention},
      {"RotaryEmbedding", BindRuntimeRotary},
  };
  return kTable;
}

}  // namespace opledger
