// Compares MatMulNBits of fast kernels with float64: every format, layouts by column and by row,
// blocks that do and do not divide the columns, one row and many.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/contraction/packed_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "kernels/arithmetic/loops/cast.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/constant_tensor.h"
#include "tests/kernels/guarded.h"

namespace opledger {
namespace {

struct Product {
  Call call;
  std::vector<ConstantTensor> tensors;

  std::byte* Add(Dtype dtype, std::int64_t count, bool known = true) {
    const ConstantTensor& tensor = tensors.emplace_back(TensorType{dtype, {count}});
    call.inputs.emplace_back(tensor.type);
    call.constants.push_back(known ? tensor.data.get() : nullptr);
    return tensor.data.get();
  }
  std::vector<const void*> Data() const {
    std::vector<const void*> data;
    for (const ConstantTensor& tensor : tensors) data.push_back(tensor.data.get());
    return data;
  }
};

struct Sizes {
  std::int64_t rows, inner, columns, block;
};

// `by_row`: the elements of a row are contiguous, as in DequantizeLinear's matrices.
Product MakePackedProduct(std::mt19937& random, const Sizes& sizes, Dtype weights, bool by_row,
                          bool zeros, std::int64_t accuracy, Dtype dtype = Dtype::kFloat32) {
  const auto& [rows, inner, columns, block] = sizes;
  const std::int64_t blocks = (inner + block - 1) / block;
  Product product;
  std::normal_distribution<float> normal;
  product.Add(dtype, rows * inner, false);
  product.call.inputs[0]->dimensions = {rows, inner};
  for (std::int64_t i = 0; i < rows * inner; ++i) {
    const float number = normal(random);
    arithmetic::Downcast(&number, dtype,
                         product.tensors[0].data.get() + i * std::int64_t(ElementSize(dtype)), 1);
  }
  const std::int64_t stored = by_row ? inner * columns : columns * blocks * block;
  std::byte* bits = product.Add(weights, stored);
  const bool is_e4m3 = weights == Dtype::kFloat8E4M3;
  for (std::size_t i = 0; i < Bytes(*product.call.inputs[1]); ++i) {
    bits[i] = static_cast<std::byte>(random());
    if (is_e4m3 || weights == Dtype::kFloat8E5M2) bits[i] &= std::byte{0xBB};  // finite
  }
  auto* scales = reinterpret_cast<float*>(product.Add(Dtype::kFloat32, columns * blocks));
  std::uniform_real_distribution<float> positive(0.01F, 0.1F);
  for (std::int64_t i = 0; i < columns * blocks; ++i) scales[i] = positive(random);
  if (zeros) {
    std::byte* points = product.Add(weights, columns * blocks);
    for (std::size_t i = 0; i < Bytes(*product.call.inputs[3]); ++i) {
      points[i] = static_cast<std::byte>(random());
    }
  }
  Parameters& parameters = product.call.parameters;
  parameters.Set("inner", inner);
  parameters.Set("columns", columns);
  parameters.Set("block", block);
  parameters.Set("accuracy", accuracy);
  parameters.Set("inner_step", by_row ? columns : 1);
  parameters.Set("column_step", by_row ? 1 : blocks * block);
  for (const char* of : {"scale", "zero"}) {
    parameters.Set(std::string(of) + "_step", by_row ? columns : 1);
    parameters.Set(std::string(of) + "_column_step", by_row ? 1 : blocks);
  }
  parameters.Set("zero", weights == Dtype::kUint4 ? 8.0 : weights == Dtype::kUint8 ? 128.0 : 0.0);
  return product;
}

const KernelEntry* FastEntry() {
  for (const KernelEntry* entry : Kernels().at("MatMulNBits")) {
    if (entry->implementation_name() == "vector") return entry;
  }
  return nullptr;
}

std::vector<float> ResultsOf(const Prepared& prepared, const Product& product) {
  const std::size_t count = Elements(prepared.outputs[0].dimensions);
  const Guarded output(Bytes(prepared.outputs[0]));
  const Guarded workspace(prepared.workspace);
  std::vector<const void*> inputs = product.Data();
  for (const std::size_t unread : prepared.unread_inputs) inputs[unread] = nullptr;
  void* outputs[] = {output.data()};
  prepared.run(inputs.data(), outputs, workspace.data());
  EXPECT_TRUE(output.Holds() && workspace.Holds());
  std::vector<float> numbers(count);
  arithmetic::Upcast(prepared.outputs[0].dtype, output.data(), numbers.data(), count);
  return numbers;
}

// Compares with the product in float64. The error is relative to the sum of absolute products or,
// with accuracy 4, to the weights times the largest element of `a` in their block.
void Expect(const Product& product, const Sizes& sizes, const std::vector<float>& results,
            double unit, bool rounds_rows) {
  const auto read = ReadPackedWeights(product.call);
  ASSERT_TRUE(read) << read.status().message;
  const PackedWeights& weights = *read;
  const auto [rows, inner, columns, block] = sizes;
  std::vector<float> a(rows * inner);
  arithmetic::Upcast(product.call.Input(0).dtype, product.tensors[0].data.get(), a.data(),
                     a.size());
  const std::vector<const void*> data = product.Data();
  for (std::int64_t n = 0; n < columns; ++n) {
    std::vector<double> column(inner);
    for (std::int64_t k = 0; k < inner; ++k) {
      column[k] = weights.NumberAt(data, k, n);
    }
    for (std::int64_t row = 0; row < rows; ++row) {
      const float* numbers = a.data() + row * inner;
      double sum = 0;
      double size = 0;
      for (std::int64_t k = 0; k < inner; k += block) {
        const std::int64_t end = std::min(inner, k + block);
        double most = 0;
        for (std::int64_t i = k; i < end; ++i) {
          most = std::max(most, std::abs(static_cast<double>(numbers[i])));
        }
        for (std::int64_t i = k; i < end; ++i) {
          sum += static_cast<double>(numbers[i]) * column[i];
          size += (rounds_rows ? most : std::abs(static_cast<double>(numbers[i]))) *
                  std::abs(column[i]);
        }
      }
      ASSERT_NEAR(results[row * columns + n], sum, unit * size + std::abs(sum) * 0x1p-24)
          << row << " " << n;
    }
  }
}

constexpr Dtype kFormats[] = {Dtype::kUint4, Dtype::kInt4,       Dtype::kUint8,
                              Dtype::kInt8,  Dtype::kFloat8E4M3, Dtype::kFloat8E5M2};
constexpr Sizes kSizes[] = {{1, 64, 40, 32},    {2, 96, 33, 16}, {3, 128, 16, 64}, {1, 50, 7, 50},
                            {150, 320, 70, 32}, {7, 40, 17, 16}, {65, 288, 48, 96}};

TEST(FastKernels, PackedWeightsAreWithinTheBound) {
  std::mt19937 random(1);
  for (const Dtype format : kFormats) {
    for (const Sizes& sizes : kSizes) {
      for (const bool by_row : {false, true}) {
        const bool is_float8 = format == Dtype::kFloat8E4M3 || format == Dtype::kFloat8E5M2;
        for (const bool zeros : {false, true}) {
          if (zeros && is_float8) continue;
          SCOPED_TRACE(std::string(DtypeName(format)) + " " + std::to_string(sizes.rows) +
                       " rows " + std::to_string(sizes.inner) + " inner by row " +
                       std::to_string(by_row));
          const Product product = MakePackedProduct(random, sizes, format, by_row, zeros, 0);
          const Prepared fast = FastEntry()->Serve(product.call);
          ASSERT_EQ(fast.refusal.message, "");
          const double unit = static_cast<double>(sizes.inner + 2) * 0x1p-24;
          Expect(product, sizes, ResultsOf(fast, product), unit, false);
          const Prepared plain = ChooseKernel("MatMulNBits", product.call, {true}).prepared;
          Expect(product, sizes, ResultsOf(plain, product), unit, false);
        }
      }
    }
  }
}

TEST(FastKernels, PackedWeightsByRoundedRowsAreWithinTheBound) {
  std::mt19937 random(2);
  for (const Dtype format : {Dtype::kUint4, Dtype::kInt4}) {
    for (const Sizes& sizes : kSizes) {
      for (const bool zeros : {false, true}) {
        SCOPED_TRACE(std::to_string(sizes.rows) + " rows " + std::to_string(sizes.inner) +
                     " inner");
        const Product product = MakePackedProduct(random, sizes, format, false, zeros, 4);
        const Prepared fast = FastEntry()->Serve(product.call);
        ASSERT_EQ(fast.refusal.message, "");
        Expect(product, sizes, ResultsOf(fast, product), 0x1p-8, true);
      }
    }
  }
}

TEST(FastKernels, PackedWeightsRoundRowsWithAccuracy4) {
  // 127 is the largest element of the block, so that others round to integers.
  std::mt19937 random(3);
  const Sizes sizes = {1, 32, 1, 32};
  Product product = MakePackedProduct(random, sizes, Dtype::kUint4, false, false, 4);
  std::memset(product.tensors[1].data.get(), 0x99, Bytes(product.tensors[1].type));  // 9 - 8
  *product.tensors[2].As<float>() = 1;
  std::fill_n(product.tensors[0].As<float>(), 32, 0.0F);
  product.tensors[0].As<float>()[0] = 127;
  product.tensors[0].As<float>()[1] = 3.25F;
  EXPECT_EQ(ResultsOf(FastEntry()->Serve(product.call), product)[0], 130);
  product.call.parameters.Set("accuracy", std::int64_t{1});
  EXPECT_EQ(ResultsOf(FastEntry()->Serve(product.call), product)[0], 130.25F);
}

TEST(FastKernels, PackedWeightsKeepANan) {
  std::mt19937 random(4);
  for (const std::int64_t accuracy : {0, 4}) {
    for (const std::int64_t rows : {1, 5}) {
      const Sizes sizes = {rows, 64, 20, 32};
      Product product = MakePackedProduct(random, sizes, Dtype::kUint4, false, false, accuracy);
      product.tensors[0].As<float>()[40] = std::numeric_limits<float>::quiet_NaN();
      const std::vector<float> results = ResultsOf(FastEntry()->Serve(product.call), product);
      for (std::size_t i = 0; i < results.size(); ++i) {
        EXPECT_EQ(std::isnan(results[i]), i < 20) << i;
      }
    }
  }
}

TEST(FastKernels, PackedWeightsRoundHalvesOnce) {
  std::mt19937 random(5);
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBfloat16}) {
    for (const std::int64_t rows : {1, 20}) {
      const Sizes sizes = {rows, 64, 24, 32};
      const Product product = MakePackedProduct(random, sizes, Dtype::kInt4, true, true, 0, dtype);
      const double rounding = dtype == Dtype::kFloat16 ? 0x1p-11 : 0x1p-8;
      Expect(product, sizes, ResultsOf(FastEntry()->Serve(product.call), product), rounding, false);
    }
  }
}

TEST(FastKernels, PackedWeightsThatPanelsDoNotHoldAreRefused) {
  std::mt19937 random(6);
  const Product uneven = MakePackedProduct(random, {1, 40, 8, 20}, Dtype::kUint4, false, false, 0);
  EXPECT_NE(FastEntry()->Serve(uneven.call).refusal.message, "");
  Product computed = MakePackedProduct(random, {1, 64, 8, 32}, Dtype::kUint4, false, false, 0);
  computed.call.constants[1] = nullptr;
  EXPECT_NE(FastEntry()->Serve(computed.call).refusal.message, "");
  Product infinite = MakePackedProduct(random, {1, 64, 8, 32}, Dtype::kFloat8E5M2, false, false, 0);
  infinite.tensors[1].As<std::uint8_t>()[3] = 0x7C;
  EXPECT_NE(FastEntry()->Serve(infinite.call).refusal.message, "");
  Product short_weights = MakePackedProduct(random, {1, 64, 8, 32}, Dtype::kUint4, false, false, 0);
  short_weights.call.parameters.Set("columns", std::int64_t{9});
  EXPECT_NE(ChooseKernel("MatMulNBits", short_weights.call, {true}).prepared.refusal.message, "");
}

}  // namespace
}  // namespace opledger
