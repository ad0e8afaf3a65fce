// Operators of the domain com.microsoft whose weights are packed: several integers in a byte, in
// blocks that have a scale each.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bindings/call_chain.h"
#include "kernels/bindings/onnx/node.h"
#include "kernels/tensor/element.h"

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

// Integer `at` of those that stand from `bytes` on, the low bits first.
double PackedAt(const std::vector<double>& bytes, std::int64_t first, std::int64_t at,
                std::int64_t bits) {
  const auto byte = static_cast<unsigned>(bytes[static_cast<std::size_t>(first + at * bits / 8)]);
  return static_cast<double>(byte >> (at * bits % 8) & ((1U << bits) - 1));
}

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
    return "its sizes are none";
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

// a, weights, scales, zero points (optional), order (optional), bias (optional). Weights that are
// known are opened when the plan is made: they take the memory of floats.
LoweredNode BindMatMulNBits(const OnnxNode& node) {
  PackedWeights weights;
  if (std::string problem = ReadPacked(node, weights); !problem.empty()) {
    return Unsupported(problem);
  }
  const TensorType type{node.Input(0).dtype, {weights.inner, weights.columns}};
  const TensorType read{Dtype::kFloat64, node.Shape(1)};  // while they are opened
  if (!CheckSize(type) || !CheckSize(read)) {
    return Unsupported(OutputProblem(CheckSize(type) ? read : type));
  }
  const auto bytes = node.KnownNumbers(1);
  const auto scales = node.KnownNumbers(2);
  const auto zeros = node.Has(3) ? node.KnownNumbers(3) : std::vector<double>{};
  if (!bytes || !scales || !zeros) return Unsupported("its packed weights are no constants");
  const bool packed_zeros = node.Has(3) && node.Input(3).dtype == Dtype::kUint8;
  const double middle = weights.bits == 4 ? 8 : 128;
  ConstantTensor opened(type);
  const bool is = WithFloat(type.dtype, [&]<typename T>(T*) {
    for (std::int64_t n = 0; n < weights.columns; ++n) {
      for (std::int64_t k = 0; k < weights.inner; ++k) {
        const std::int64_t block = k / weights.block;
        const std::int64_t of_all = n * weights.blocks + block;
        const double zero = zeros->empty() ? middle
                            : packed_zeros
                                ? PackedAt(*zeros, n * weights.ZeroBytes(), block, weights.bits)
                                : (*zeros)[static_cast<std::size_t>(of_all)];
        const double step =
            PackedAt(*bytes, of_all * weights.BlockBytes(), k % weights.block, weights.bits);
        const double value = (step - zero) * (*scales)[static_cast<std::size_t>(of_all)];
        Store(opened.As<T>()[k * weights.columns + n], static_cast<Computed<T>>(value));
      }
    }
  });
  if (!is) return Unsupported("its input is no float");
  CallChain chain(node);
  const int factor = chain.Operand(std::move(opened));
  if (!node.Has(5)) return std::move(chain).Finish("MatMul", {0, factor});
  const int product = chain.Call("MatMul", {0, factor});
  return std::move(chain).Finish("Add", {product, 5});
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
