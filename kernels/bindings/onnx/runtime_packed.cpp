// Operators of the domain com.microsoft whose weights are packed: several integers in a byte, in
// blocks that have a scale each.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/call_chain.h"
#include "kernels/bindings/onnx/node.h"

namespace opledger {
namespace {

// Numbers packed into bytes along the last dimension, the low bits first, as float32; `number` of
// shape `shape`, of which `count` in a row are some.
int Unpacked(CallChain& chain, int number, Dimensions shape, std::int64_t bits,
             std::int64_t count) {
  if (bits == 4) {
    Dimensions apart = shape;
    apart.push_back(1);
    const int low = chain.Call("BitwiseAnd", {number, chain.Scalar(Dtype::kUint8, 15)});
    const int high = chain.Call("ShiftRight", {number, chain.Scalar(Dtype::kUint8, 4)});
    number = chain.Call("Concat", {chain.Reshaped(low, apart), chain.Reshaped(high, apart)});
    chain.Last().parameters.Set("axis", static_cast<std::int64_t>(shape.size()));
    shape.back() *= 2;
    number = chain.Reshaped(number, shape);
    if (shape.back() != count) {
      number = chain.Split(number, static_cast<std::int64_t>(shape.size()) - 1,
                           {count, shape.back() - count});
    }
  }
  return chain.Cast(number, Dtype::kFloat32);
}

// bytes (rows, numbers packed), indices, scales (rows, blocks), zero points (optional, packed): the
// rows asked for, as floats
LoweredNode BindGatherPacked(const OnnxNode& node) {
  const std::int64_t bits = node.Integer("bits", 4);
  const std::int64_t block = node.Integer("block_size", 128);
  if (node.Input(0).dtype != Dtype::kUint8 || (bits != 4 && bits != 8)) {
    return Unsupported("its weights are no bytes of one or two numbers");
  }
  const auto gather = AxisOf(node.Integer("gather_axis", 0), 2);
  const auto quantised = AxisOf(node.Integer("quantize_axis", 1), 2);
  if (node.Rank(0) != 2 || node.Rank(2) != 2 || gather != 0 || quantised != 1) {
    return Unsupported("its weights are no rows that are quantised along themselves");
  }
  const std::int64_t numbers = node.Shape(0)[1] * 8 / bits;
  const std::int64_t blocks = node.Shape(2)[1];
  if (block < 16 || blocks < 1 || numbers % block != 0 || numbers / block != blocks) {
    return Unsupported("its blocks do not fit its rows");
  }
  CallChain chain(node);
  const auto rows = [&](int table) { return chain.Gathered(table, 1, 0); };
  const auto shape = [&](Integers last) {
    Dimensions all = node.Shape(1);
    all.insert(all.end(), last.begin(), last.end());
    return all;
  };
  const int packed = Unpacked(chain, rows(0), shape({node.Shape(0)[1]}), bits, numbers);
  const int wide = chain.Reshaped(packed, shape({blocks, block}));
  int zero = chain.Scalar(Dtype::kFloat32, bits == 4 ? 8 : 128);
  if (node.Has(3)) {
    const std::int64_t bytes = node.Rank(3) == 2 ? node.Shape(3)[1] : 0;
    if (bytes != (blocks * bits + 7) / 8 || node.Input(3).dtype != Dtype::kUint8) {
      return Unsupported("its zero points do not fit its scales");
    }
    zero =
        chain.Reshaped(Unpacked(chain, rows(3), shape({bytes}), bits, blocks), shape({blocks, 1}));
  }
  const int steps = chain.Call("Sub", {wide, zero});
  const int scale = chain.Reshaped(chain.Cast(rows(2), Dtype::kFloat32), shape({blocks, 1}));
  const int product = chain.Reshaped(chain.Call("Mul", {steps, scale}), shape({numbers}));
  LoweredNode bound = std::move(chain).Finish("Cast", {product});
  bound.parameters.Set("to", DtypeName(node.Input(2).dtype));
  return bound;
}

// Weights in blocks of integers of `bits`, one row of them for each column of the product.
struct PackedWeights {
  std::int64_t inner = 0;
  std::int64_t columns = 0;
  std::int64_t block = 0;
  std::int64_t blocks = 0;  // of a column
  std::int64_t bits = 4;

  std::int64_t BlockBytes() const { return block * bits / 8; }
  std::int64_t ZeroBytes() const { return (blocks * bits + 7) / 8; }  // of a column
};

// Empty: they fit.
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
  if (node.Has(4)) return "its weights are in another order (g_idx)";
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

// The product, and its bias where the node has that input.
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

// a, weights, scales, zero points (optional), order (optional), bias (optional)
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

// MatMul or Gemm of a matrix that DequantizeLinear gives (kernels/model/quantised_products.h):
// a, weights, scales, zero points (optional), bias (optional).
LoweredNode BindDequantisedProduct(const OnnxNode& node) {
  if (node.Rank(1) != 2) return Unsupported("its weights are no matrix");
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
      "its weights are packed into fewer than 8 bits, or 8-bit floats, in which no kernel "
      "computes: dequantise them before the model is exported");
}

}  // namespace

const std::vector<OnnxBinding>& RuntimePacked() {
  static const std::vector<OnnxBinding> kTable = {
      {"GatherBlockQuantized", BindGatherPacked},
      {"DequantisedProduct", BindDequantisedProduct},
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
