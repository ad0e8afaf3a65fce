// Operators of com.microsoft with packed weights: several integers in a byte, in blocks that have a
// scale each.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/call_chain.h"
#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

// Sets which elements are gathered, and which of them share a scale.
LoweredNode BindGather(const OnnxNode& node, std::int64_t block) {
  LoweredNode bound = BindAs(node, "GatherDequantized");
  bound.parameters.Set("gather_axis", FromStart(node.Integer("gather_axis", 0), node.Rank(0)));
  bound.parameters.Set("axis", FromStart(node.Integer("quantize_axis", 1), node.Rank(0)));
  bound.parameters.Set("block", block);
  return bound;
}

// Inputs: table, indices, scales, zero points (optional). A byte of the table holds 8 / `bits`
// elements.
LoweredNode BindGatherBlocks(const OnnxNode& node) {
  const std::int64_t bits = node.Integer("bits", 4);
  if (bits != 2 && bits != 4 && bits != 8) return Unsupported("its bits are not 2, 4 or 8");
  const std::int64_t block = node.Integer("block_size", 128);
  if (block < 16) return Unsupported("its blocks are smaller than 16");
  LoweredNode bound = BindGather(node, block);
  if (node.Input(0).dtype == Dtype::kUint8) {
    bound.parameters.Set("bits", bits);
    bound.parameters.Set("zero", std::int64_t{1} << (bits - 1));
  }
  return bound;
}

// Gather from a dequantized table (kernels/model/quantised_products.h), with the inputs of
// GatherBlockQuantized.
LoweredNode BindDequantisedGather(const OnnxNode& node) {
  return BindGather(node, node.Integer("block_size", 0));
}

// Weights in blocks of `bits`-bit integers, one row for each column of the product.
struct PackedWeights {
  std::int64_t inner = 0;
  std::int64_t columns = 0;
  std::int64_t block = 0;
  std::int64_t blocks = 0;  // in a column
  std::int64_t bits = 4;

  std::int64_t BlockBytes() const { return block * bits / 8; }
  std::int64_t ZeroBytes() const { return (blocks * bits + 7) / 8; }  // for each column
};

// Returns a problem, or an empty string.
std::string ReadPacked(const OnnxNode& node, PackedWeights& weights) {
  weights.inner = node.Integer("K", 0);
  weights.columns = node.Integer("N", 0);
  weights.block = node.Integer("block_size", 0);
  weights.bits = node.Integer("bits", 4);
  constexpr std::int64_t kMax = 1 << 24;
  if (weights.bits != 4 && weights.bits != 8) return "its weights have neither 4 nor 8 bits";
  if (weights.inner < 1 || weights.columns < 1 || weights.block < 16 || weights.inner > kMax ||
      weights.columns > kMax || weights.block > kMax || weights.block % 16 != 0) {
    return "its sizes are out of range";
  }
  if (node.Has(4)) return "its weights are reordered (g_idx), which is not supported";
  weights.blocks = (weights.inner + weights.block - 1) / weights.block;
  const auto fits = [&](std::size_t input, std::int64_t count) {
    return static_cast<std::int64_t>(Elements(node.Shape(input))) == count;
  };
  const bool packed_zeros = node.Has(3) && node.Input(3).dtype == Dtype::kUint8;
  const std::int64_t zeros = packed_zeros ? weights.ZeroBytes() : weights.blocks;
  if (node.Input(1).dtype != Dtype::kUint8 ||
      !fits(1, weights.columns * weights.blocks * weights.BlockBytes()) ||
      !fits(2, weights.columns * weights.blocks) ||
      (node.Has(3) && !fits(3, weights.columns * zeros))) {
    return "its weights, scales or zero points do not fit its sizes";
  }
  return {};
}

// Sets the parameters that describe a right factor, in elements (packed_weights.h).
void SetSteps(Parameters& parameters, std::int64_t inner, std::int64_t columns, std::int64_t block,
              Integers weight_steps, Integers scale_steps, Integers zero_steps) {
  parameters.Set("inner", inner);
  parameters.Set("columns", columns);
  parameters.Set("block", block);
  parameters.Set("inner_step", weight_steps[0]);
  parameters.Set("column_step", weight_steps[1]);
  parameters.Set("scale_step", scale_steps[0]);
  parameters.Set("scale_column_step", scale_steps[1]);
  parameters.Set("zero_step", zero_steps[0]);
  parameters.Set("zero_column_step", zero_steps[1]);
}

// Calls the product, and adds the bias if the node has that input.
LoweredNode FinishProduct(const OnnxNode& node, std::size_t bias, Parameters parameters) {
  CallChain chain(node);
  const std::vector<int> inputs = {0, 1, 2, NumberOf(node, 3)};
  if (!node.Has(bias)) {
    LoweredNode bound = std::move(chain).Finish("MatMulNBits", inputs);
    bound.parameters = std::move(parameters);
    return bound;
  }
  const int product = chain.Call("MatMulNBits", inputs);
  chain.Last().parameters = std::move(parameters);
  return std::move(chain).Finish("Add", {product, static_cast<int>(bias)});
}

// Inputs: a, weights, scales, zero points (optional), order (optional), bias (optional).
LoweredNode BindMatMulNBits(const OnnxNode& node) {
  PackedWeights weights;
  if (std::string problem = ReadPacked(node, weights); !problem.empty()) {
    return Unsupported(problem);
  }
  const bool packed_zeros = node.Has(3) && node.Input(3).dtype == Dtype::kUint8;
  const std::int64_t zeros = packed_zeros ? weights.ZeroBytes() * 8 / weights.bits : weights.blocks;
  Parameters parameters;
  SetSteps(parameters, weights.inner, weights.columns, weights.block,
           {1, weights.blocks * weights.block}, {1, weights.blocks}, {1, zeros});
  parameters.Set("bits", weights.bits);
  parameters.Set("zero", weights.bits == 4 ? 8.0 : 128.0);
  parameters.Set("accuracy", node.Integer("accuracy_level", 0));
  return FinishProduct(node, 5, std::move(parameters));
}

// MatMul or Gemm with a dequantized matrix (kernels/model/quantised_products.h). Inputs: a,
// weights, scales, zero points (optional), bias (optional).
LoweredNode BindDequantisedProduct(const OnnxNode& node) {
  if (node.Rank(1) != 2) return Unsupported("its weights are not a matrix");
  const bool transposed = node.Integer("transposed", 0) != 0;
  const std::int64_t inner = node.Shape(1)[transposed ? 1 : 0];
  const std::int64_t columns = node.Shape(1)[transposed ? 0 : 1];
  std::int64_t block = node.Integer("block_size", 0);
  Integers scales = {0, 0};
  if (block != 0) {
    const std::int64_t blocks = (inner + block - 1) / block;
    scales = transposed ? Integers{1, blocks} : Integers{columns, 1};
  } else {
    if (Elements(node.Shape(2)) != 1) scales[1] = 1;
    block = inner;
  }
  Parameters parameters;
  SetSteps(parameters, inner, columns, block,
           transposed ? Integers{1, inner} : Integers{columns, 1}, scales, scales);
  return FinishProduct(node, 4, std::move(parameters));
}

LoweredNode BindPackedWeights(const OnnxNode&) {
  return Unsupported(
      "its weights are packed into fewer than 8 bits, or are 8-bit floats, which no kernel "
      "supports: dequantize them before exporting the model");
}

}  // namespace

const std::vector<OnnxBinding>& RuntimePacked() {
  static const std::vector<OnnxBinding> kTable = {
      {"DequantisedGather", BindDequantisedGather},
      {"DequantisedProduct", BindDequantisedProduct},
      {"GatherBlockQuantized", BindGatherBlocks},
      {"GemmFloat8", BindPackedWeights},
      {"MatMulBlockQuantizedFp4Weight", BindPackedWeights},
      {"MatMulBlockQuantizedFp8Weight", BindPackedWeights},
      {"MatMulBnb4", BindPackedWeights},
      {"MatMulFpQ4", BindPackedWeights},
      {"MatMulNBits", BindMatMulNBits},
  };
  return kTable;
}

}  // namespace opledger
