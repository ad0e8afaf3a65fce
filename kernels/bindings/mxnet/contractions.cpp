// MXNet operators that multiply and add along a dimension.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/bindings/mxnet/node.h"
#include "kernels/bindings/mxnet/spatial.h"

namespace opledger {
namespace {

// x W^T + b, with x as a matrix: flattened after its first dimension, or all but the last (flatten
// False).
LoweredNode BindFullyConnected(const MxnetNode& node) {
  if (node.Rank(0) < 1 || node.Rank(1) != 2) return Unsupported("its weight is not a matrix");
  const Dimensions& shape = node.Shape(0);
  const std::size_t rows_end = node.Flag("flatten", true) ? 1 : shape.size() - 1;
  LoweredNode bound;
  bound.kernel = "Gemm";
  bound.inputs = {0, 1};
  if (!node.Flag("no_bias", false) && node.Has(2)) bound.inputs.push_back(2);
  bound.views[0] = {ProductOf(shape, 0, rows_end), ProductOf(shape, rows_end, shape.size())};
  if (bound.inputs.size() == 3) bound.views[2] = {node.Shape(1)[0]};
  Dimensions out(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(rows_end));
  out.push_back(node.Shape(1)[0]);
  bound.shapes[0] = std::move(out);
  bound.parameters.Set("transpose_b", std::int64_t{1});
  return bound;
}

LoweredNode BindConvolution(const MxnetNode& node) {
  if (!HasChannelsFirst(node)) return Unsupported("there is no kernel for its layout");
  LoweredNode bound = BindAs(node, "Conv");
  bound.inputs.resize(node.Flag("no_bias", false) || !node.Has(2) ? 2 : 3);
  bound.parameters.Set("groups", node.Integer("num_group", 1));
  SetMxnetWindow(node, bound.parameters);
  return bound;
}

// MXNet gives the output's shape by adj, or by target_shape, which determines the pads.
LoweredNode BindDeconvolution(const MxnetNode& node) {
  if (!HasChannelsFirst(node)) return Unsupported("there is no kernel for its layout");
  LoweredNode bound = BindAs(node, "ConvTranspose");
  bound.inputs.resize(node.Flag("no_bias", true) || !node.Has(2) ? 2 : 3);
  bound.parameters.Set("groups", node.Integer("num_group", 1));
  Parameters& parameters = bound.parameters;
  SetMxnetWindow(node, parameters);
  const std::size_t rank = parameters.List("kernel").size();
  if (node.Shape(0).size() != rank + 2) return Unsupported("its kernel does not fit its input");
  const Integers kernel = parameters.List("kernel");
  const Integers strides = parameters.List("strides");
  const Integers dilations = parameters.List("dilations");
  Integers begin = parameters.List("begin");
  Integers adjust = SpatialList(node, "adj", rank, 0);
  const Integers target = SpatialList(node, "target_shape", rank, 0);
  const bool by_target =
      std::any_of(target.begin(), target.end(), [](std::int64_t extent) { return extent != 0; });
  Integers end(rank, 0);
  Integers output(rank, 0);
  for (std::size_t d = 0; d < rank; ++d) {
    const auto whole = WholeExtent(node.Shape(0)[d + 2],
                                   {kernel[d], strides[d], dilations[d], begin[d], adjust[d]});
    if (!whole) return Unsupported("its window is too large");
    if (by_target) {
      const std::int64_t pads = *whole - target[d];
      if (pads < 0) return Unsupported("its target_shape is too large");
      adjust[d] = pads % 2;
      begin[d] = (pads + 1) / 2;
    }
    output[d] = *whole - 2 * begin[d] + adjust[d];
    end[d] = *whole - begin[d] - output[d];
  }
  parameters.Set("begin", begin);
  parameters.Set("end", end);
  parameters.Set("output", output);
  return bound;
}

// Returns the axes of a matrix, or of a stack of them, with the last two exchanged.
Integers MatrixTransposition(std::int64_t rank) {
  Integers order = AllAxes(rank);
  std::swap(order[static_cast<std::size_t>(rank) - 1], order[static_cast<std::size_t>(rank) - 2]);
  return order;
}

int TransposedIf(bool transpose, CallChain& chain, int input, std::int64_t rank) {
  if (!transpose) return input;
  const int transposed = chain.Call("Transpose", {input});
  chain.Last().parameters.Set("order", MatrixTransposition(rank));
  return transposed;
}

LoweredNode BindBatchDot(const MxnetNode& node) {
  if (node.Rank(0) < 2 || node.Rank(1) != node.Rank(0))
    return Unsupported("its inputs are not matrices");
  CallChain chain(node);
  const int a = TransposedIf(node.Flag("transpose_a", false), chain, 0, node.Rank(0));
  const int b = TransposedIf(node.Flag("transpose_b", false), chain, 1, node.Rank(1));
  return std::move(chain).Finish("MatMul", {a, b});
}

// The dimensions from `first` on come first: how dot transposes a tensor.
Integers Rotation(std::int64_t rank, std::int64_t first) {
  Integers order = AllAxes(rank, first);
  for (std::int64_t d = 0; d < first; ++d) order.push_back(d);
  return order;
}

// Contracts the last dimension of the first tensor with the first of the second. Transposing moves
// the first dimension to the end, or the last to the front.
LoweredNode BindDot(const MxnetNode& node) {
  if (node.Rank(0) < 1 || node.Rank(1) < 1) return Unsupported("one of its inputs is a scalar");
  const bool turn_a = node.Flag("transpose_a", false) && node.Rank(0) > 1;
  const bool turn_b = node.Flag("transpose_b", false) && node.Rank(1) > 1;
  Dimensions a = node.Shape(0);
  Dimensions b = node.Shape(1);
  CallChain chain(node);
  int from_a = 0;
  int from_b = 1;
  if (turn_a) {
    from_a = chain.Call("Transpose", {0});
    chain.Last().parameters.Set("order", Rotation(node.Rank(0), 1));
    std::rotate(a.begin(), a.begin() + 1, a.end());
  }
  if (turn_b) {
    from_b = chain.Call("Transpose", {1});
    chain.Last().parameters.Set("order", Rotation(node.Rank(1), node.Rank(1) - 1));
    std::rotate(b.begin(), b.end() - 1, b.end());
  }
  if (a.back() != b.front()) return Unsupported("its inputs cannot be multiplied");
  Dimensions out(a.begin(), a.end() - 1);
  out.insert(out.end(), b.begin() + 1, b.end());
  if (out.empty()) out = {1};
  LoweredNode bound = std::move(chain).Finish("MatMul", {from_a, from_b});
  bound.views[0] = {ProductOf(a, 0, a.size() - 1), a.back()};
  bound.views[1] = {b.front(), ProductOf(b, 1, b.size())};
  bound.shapes[0] = std::move(out);
  return bound;
}

// alpha A B for matrices or stacks of them.
LoweredNode BindGemm2(const MxnetNode& node) {
  if (node.Rank(0) < 2 || node.Rank(1) < 2) return Unsupported("its inputs are not matrices");
  if (node.Integer("axis", -2) != -2) return Unsupported("its matrices are not in the last axes");
  CallChain chain(node);
  const double alpha = node.Number("alpha", 1);
  const int scale = alpha == 1 ? -1 : chain.Scalar(node.Input(0).dtype, alpha);
  const int a = TransposedIf(node.Flag("transpose_a", false), chain, 0, node.Rank(0));
  const int b = TransposedIf(node.Flag("transpose_b", false), chain, 1, node.Rank(1));
  if (scale < 0) return std::move(chain).Finish("MatMul", {a, b});
  const int product = chain.Call("MatMul", {a, b});
  return std::move(chain).Finish("Mul", {product, scale});
}

LoweredNode BindMatMul(const MxnetNode& node) { return BindAs(node, "MatMul"); }

// For each column, the products of every row of one factor with every row of the next.
LoweredNode BindKhatriRao(const MxnetNode& node) {
  CallChain chain(node);
  int product = 0;
  std::int64_t rows = 0;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    if (node.Rank(i) != 2 || node.Shape(i)[1] != node.Shape(0)[1]) {
      return Unsupported("its factors are not matrices with the same number of columns");
    }
    const std::int64_t columns = node.Shape(i)[1];
    const std::int64_t more = node.Shape(i)[0];
    if (i == 0) {
      rows = more;
      continue;
    }
    if (!CheckSize({node.Input(0).dtype, {rows, more, columns}})) {
      return Unsupported("its product is too large");
    }
    const int a = chain.Reshaped(product, {rows, 1, columns});
    const int b = chain.Reshaped(static_cast<int>(i), {1, more, columns});
    product = chain.Reshaped(chain.Call("Mul", {a, b}), {rows * more, columns});
    rows *= more;
  }
  return std::move(chain).Finish("Identity", {product});
}

}  // namespace

const std::vector<MxnetBinding>& MxnetContractions() {
  static const std::vector<MxnetBinding> kTable = {
      {"Convolution", BindConvolution, 2},
      {"Deconvolution", BindDeconvolution, 2},
      {"FullyConnected", BindFullyConnected, 2},
      {"_linalg_gemm2", BindGemm2, 2},
      {"_npi_matmul", BindMatMul, 2},
      {"batch_dot", BindBatchDot, 2},
      {"dot", BindDot, 2},
      {"khatri_rao", BindKhatriRao},
  };
  return kTable;
}

// MXNet's attention products: queries, keys and values of all heads interleaved in one tensor, time
// first. src/operator/contrib/transformer.cc of MXNet defines the layouts.

namespace {

// time, batch, heads * parts * width
struct Interleaved {
  std::int64_t time = 0;
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  std::int64_t parts = 0;
  std::int64_t width = 0;

  std::int64_t rows() const { return batch * heads; }
};

std::optional<Interleaved> ReadInterleaved(const MxnetNode& node, std::size_t input,
                                           std::int64_t parts) {
  const std::int64_t heads = node.Integer("heads", 0);
  if (node.Rank(input) != 3 || heads < 1 || heads > (std::int64_t{1} << 31)) return std::nullopt;
  const Dimensions& shape = node.Shape(input);
  if (shape[2] < 1 || shape[2] % (heads * parts) != 0) return std::nullopt;
  return Interleaved{shape[0], shape[1], heads, parts, shape[2] / (heads * parts)};
}

// Part `part` of the input, as matrices of each row: time x width, or width x time.
int PartOf(CallChain& chain, int input, const Interleaved& all, std::int64_t part,
           bool transposed) {
  const int cut = chain.Call("Slice", {input});
  KernelCall& slice = chain.Last();
  slice.views[0] = {all.time, all.rows(), all.parts, all.width};
  slice.parameters.Set("starts", Integers{0, 0, part, 0});
  slice.parameters.Set("steps", Integers{1, 1, 1, 1});
  slice.parameters.Set("shape", Integers{all.time, all.rows(), 1, all.width});
  slice.shapes[0] = {all.time, all.rows(), all.width};
  const int matrices = chain.Call("Transpose", {cut});
  chain.Last().parameters.Set("order", transposed ? Integers{1, 2, 0} : Integers{1, 0, 2});
  return matrices;
}

constexpr const char* kMisfit = "its inputs are not time, batch, heads";

// q / sqrt(width) times k, transposed. Scaling before the product keeps it smaller.
LoweredNode BindScores(const MxnetNode& node, bool own) {
  const auto queries = ReadInterleaved(node, 0, own ? 3 : 1);
  const auto keys = ReadInterleaved(node, own ? 0 : 1, own ? 3 : 2);
  if (!queries || !keys || queries->width != keys->width) return Unsupported(kMisfit);
  CallChain chain(node);
  const int scale =
      chain.Scalar(node.Input(0).dtype, 1 / std::sqrt(static_cast<double>(queries->width)));
  const int q = PartOf(chain, 0, *queries, 0, false);
  const int scaled = chain.Call("Mul", {q, scale});
  const int k = PartOf(chain, own ? 0 : 1, *keys, own ? 1 : 0, true);
  return std::move(chain).Finish("MatMul", {scaled, k});
}

LoweredNode BindOwnScores(const MxnetNode& node) { return BindScores(node, true); }
LoweredNode BindOtherScores(const MxnetNode& node) { return BindScores(node, false); }

// The weights of each row times its values, interleaved again.
LoweredNode BindWeighted(const MxnetNode& node, bool own) {
  const auto values = ReadInterleaved(node, 0, own ? 3 : 2);
  if (!values || node.Rank(1) != 3 || node.Shape(1)[0] != values->rows())
    return Unsupported(kMisfit);
  const std::int64_t time = node.Shape(1)[1];
  CallChain chain(node);
  const int v = PartOf(chain, 0, *values, own ? 2 : 1, false);
  const int sums = chain.Call("MatMul", {1, v});
  LoweredNode bound = std::move(chain).Finish("Transpose", {sums});
  bound.parameters.Set("order", Integers{1, 0, 2});
  bound.shapes[0] = {time, values->batch, values->heads * values->width};
  return bound;
}

LoweredNode BindOwnWeighted(const MxnetNode& node) { return BindWeighted(node, true); }
LoweredNode BindOtherWeighted(const MxnetNode& node) { return BindWeighted(node, false); }

LoweredNode BindDivideBySqrt(const MxnetNode& node) {
  if (node.Rank(0) < 1) return Unsupported("its input has no last dimension");
  CallChain chain(node);
  const double width = static_cast<double>(node.Shape(0).back());
  const int root = chain.Scalar(node.Input(0).dtype, std::sqrt(width));
  return std::move(chain).Finish("Div", {0, root});
}

}  // namespace

const std::vector<MxnetBinding>& MxnetAttention() {
  static const std::vector<MxnetBinding> kTable = {
      {"_contrib_div_sqrt_dim", BindDivideBySqrt},
      {"_contrib_interleaved_matmul_encdec_qk", BindOtherScores, 2},
      {"_contrib_interleaved_matmul_encdec_valatt", BindOtherWeighted, 2},
      {"_contrib_interleaved_matmul_selfatt_qk", BindOwnScores},
      {"_contrib_interleaved_matmul_selfatt_valatt", BindOwnWeighted, 2},
  };
  return kTable;
}

}  // namespace opledger
