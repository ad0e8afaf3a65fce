// MXNet's products of attention: queries, keys and values of all heads interleaved in one tensor,
// time first. src/operator/contrib/transformer.cc of MXNet has the layouts.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/bindings/mxnet/node.h"

namespace opledger {
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
int PartOf(CallChain& chain, int input, const Interleaved& all, std::int64_t part, bool turned) {
  const int cut = chain.Call("Slice", {input});
  BoundCall& slice = chain.Last();
  slice.views[0] = {all.time, all.rows(), all.parts, all.width};
  slice.parameters.Set("starts", Integers{0, 0, part, 0});
  slice.parameters.Set("steps", Integers{1, 1, 1, 1});
  slice.parameters.Set("shape", Integers{all.time, all.rows(), 1, all.width});
  slice.shapes[0] = {all.time, all.rows(), all.width};
  const int matrices = chain.Call("Transpose", {cut});
  chain.Last().parameters.Set("order", turned ? Integers{1, 2, 0} : Integers{1, 0, 2});
  return matrices;
}

constexpr const char* kMisfit = "its inputs are not time, batch, and all heads";

// q / sqrt(width) times k, transposed. Scaled before the product, which so stays smaller.
Bound BindScores(const MxnetNode& node, bool own) {
  const auto queries = ReadInterleaved(node, 0, own ? 3 : 1);
  const auto keys = ReadInterleaved(node, own ? 0 : 1, own ? 3 : 2);
  if (!queries || !keys || queries->width != keys->width) return Unbound(kMisfit);
  CallChain chain(node);
  const int scale =
      chain.Scalar(node.Input(0).dtype, 1 / std::sqrt(static_cast<double>(queries->width)));
  const int q = PartOf(chain, 0, *queries, 0, false);
  const int scaled = chain.Call("Mul", {q, scale});
  const int k = PartOf(chain, own ? 0 : 1, *keys, own ? 1 : 0, true);
  return std::move(chain).Finish("MatMul", {scaled, k});
}

Bound BindOwnScores(const MxnetNode& node) { return BindScores(node, true); }
Bound BindOtherScores(const MxnetNode& node) { return BindScores(node, false); }

// The weights of each row times its values, interleaved again.
Bound BindWeighted(const MxnetNode& node, bool own) {
  const auto values = ReadInterleaved(node, 0, own ? 3 : 2);
  if (!values || node.Rank(1) != 3 || node.Shape(1)[0] != values->rows()) return Unbound(kMisfit);
  const std::int64_t time = node.Shape(1)[1];
  CallChain chain(node);
  const int v = PartOf(chain, 0, *values, own ? 2 : 1, false);
  const int sums = chain.Call("MatMul", {1, v});
  Bound bound = std::move(chain).Finish("Transpose", {sums});
  bound.parameters.Set("order", Integers{1, 0, 2});
  bound.shapes[0] = {time, values->batch, values->heads * values->width};
  return bound;
}

Bound BindOwnWeighted(const MxnetNode& node) { return BindWeighted(node, true); }
Bound BindOtherWeighted(const MxnetNode& node) { return BindWeighted(node, false); }

Bound BindDivideBySqrt(const MxnetNode& node) {
  if (node.Rank(0) < 1) return Unbound("its input has no last dimension");
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
