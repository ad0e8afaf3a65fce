// MatMul and Gemm by blocks of tiles.
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "kernels/kernel/fused_call.h"
#include "kernels/tensor/broadcast.h"
#include "kernels/tensor/constant_tensor.h"
#include "kernels/vector/contraction/contraction.h"
#include "kernels/vector/contraction/fused_rows.h"
#include "kernels/vector/rows/strided_row.h"

namespace opledger {
namespace {

struct MatrixProducts {
  ProductBlocks blocks;
  FusedRows fused;
  Dtype dtype = Dtype::kFloat32;
  bool transpose_left = false;
  bool transpose_right = false;
  std::vector<std::size_t> lefts;  // the index of the left matrix that each product takes
  std::vector<std::size_t> rights;
  std::size_t stack = 1;                   // of right factors
  std::shared_ptr<ConstantTensor> panels;  // set if the right factor is constant
  std::vector<float> scale;                // folded into the panels

  void ReadLeft(const void* left, std::size_t product, std::size_t row, std::size_t k,
                std::size_t n, float* to) const;
  const float* ReadRight(const void* right, std::size_t matrix, std::size_t k, std::size_t column,
                         std::size_t n, float* buffer) const;
  void Pack(const void* right, float* to) const;
  void Run(const void* const* inputs, void* out, float* workspace) const;
};

void MatrixProducts::ReadLeft(const void* left, std::size_t product, std::size_t row, std::size_t k,
                              std::size_t n, float* to) const {
  const std::size_t matrix = lefts[product] * blocks.rows * blocks.inner;
  if (transpose_left) {
    GatherRow(dtype, left, matrix + k * blocks.rows + row, blocks.rows, n, to);
  } else {
    arithmetic::Upcast(dtype, At(dtype, left, matrix + row * blocks.inner + k), to, n);
  }
}

const float* MatrixProducts::ReadRight(const void* right, std::size_t matrix, std::size_t k,
                                       std::size_t column, std::size_t n, float* buffer) const {
  const std::size_t start = matrix * blocks.inner * blocks.columns;
  const float* row = buffer;
  if (transpose_right) {
    GatherRow(dtype, right, start + column * blocks.inner + k, blocks.inner, n, buffer);
  } else {
    row = LoadRow(dtype, right, start + k * blocks.columns + column, n, buffer);
  }
  if (scale.empty()) return row;
  std::transform(row, row + n, scale.begin() + static_cast<std::ptrdiff_t>(column), buffer,
                 [](float number, float factor) { return number * factor; });
  return buffer;
}

void MatrixProducts::Pack(const void* right, float* to) const {
  PackAllPanels(blocks, stack, to,
                [&](std::size_t matrix, std::size_t row, std::size_t column, std::size_t n,
                    float* buffer) { return ReadRight(right, matrix, row, column, n, buffer); });
}

void MatrixProducts::Run(const void* const* inputs, void* out, float* workspace) const {
  const float* packed =
      KnownOrPacked(blocks, panels.get(), workspace, [&](float* to) { Pack(inputs[1], to); });
  RunProducts(
      blocks, workspace,
      [&](std::size_t product, std::size_t row, std::size_t rows, std::size_t k, std::size_t n,
          float* to) {
        for (std::size_t i = 0; i < rows; ++i) {
          ReadLeft(inputs[0], product, row + i, k, n, to + i * arithmetic::kProductRowStep);
        }
      },
      [&](std::size_t product) { return packed + rights[product] * blocks.PanelSize(); },
      [&](std::size_t product, std::size_t row, std::size_t column, std::size_t n, float* sums) {
        const std::size_t at = (product * blocks.rows + row) * blocks.columns + column;
        fused.Finish(inputs, column, sums, out, at, n);
      });
}

// Completes `products`, which lacks the epilogue and the panels of the right factor.
Prepared PrepareProducts(const Call& call, MatrixProducts products, const TensorType& result) {
  products.dtype = call.Input(0).dtype;
  const std::size_t stack = products.stack;
  const std::size_t columns = products.blocks.columns;
  return PrepareContraction(call, std::move(products), stack, columns, "its columns are too few",
                            result);
}

// Returns the output type according to the reference kernel, or nullopt if that refuses the call.
std::optional<TensorType> MatrixResult(const char* kernel, const Call& call) {
  const ChosenKernel reference = ChooseKernel(kernel, call, {true});
  if (reference.entry == nullptr) return std::nullopt;
  return reference.prepared.outputs[0];
}

Prepared PrepareVectorMatMul(const Call& call) {
  const auto result = MatrixResult("MatMul", call);
  if (!result || call.Input(0).Rank() < 2 || call.Input(1).Rank() < 2) {
    return Refuse("its factors are not matrices");
  }
  const Dimensions& a = call.Shape(0);
  const Dimensions& b = call.Shape(1);
  const Dimensions stack_a(a.begin(), a.end() - 2);
  const Dimensions stack_b(b.begin(), b.end() - 2);
  auto rows = static_cast<std::size_t>(a[a.size() - 2]);
  const auto inner = static_cast<std::size_t>(a.back());
  const auto columns = static_cast<std::size_t>(b.back());
  if (Elements(result->dimensions) == 0 || inner == 0) return Refuse("it has an empty tensor");
  MatrixProducts products;
  products.stack = Elements(stack_b);
  if (products.stack == 1) {
    rows *= Elements(stack_a);
    products.lefts = products.rights = {0};
  } else {
    const Dimensions stack(result->dimensions.begin(), result->dimensions.end() - 2);
    BroadcastWalk(stack, {stack_a, stack_b})
        .Rows([&](std::size_t, const std::int64_t* offsets, std::size_t count,
                  const std::int64_t* steps) {
          for (std::size_t i = 0; i < count; ++i) {
            const auto k = static_cast<std::int64_t>(i);
            products.lefts.push_back(static_cast<std::size_t>(offsets[0] + k * steps[0]));
            products.rights.push_back(static_cast<std::size_t>(offsets[1] + k * steps[1]));
          }
        });
  }
  products.blocks = BlocksOf(products.lefts.size(), rows, inner, columns);
  return PrepareProducts(call, std::move(products), *result);
}

Prepared PrepareVectorGemm(const Call& call) {
  const auto result = MatrixResult("Gemm", call);
  if (!result) return Refuse("its factors cannot be multiplied");
  if (!IsFused(call) && (call.Has(2) || call.parameters.Number("alpha", 1) != 1)) {
    return Refuse("its bias is not a constant row");
  }
  MatrixProducts products;
  products.transpose_left = call.parameters.Integer("transpose_a", 0) != 0;
  products.transpose_right = call.parameters.Integer("transpose_b", 0) != 0;
  products.lefts = products.rights = {0};
  const auto inner = static_cast<std::size_t>(call.Shape(0)[products.transpose_left ? 0 : 1]);
  if (Elements(result->dimensions) == 0 || inner == 0) return Refuse("it has an empty tensor");
  products.blocks = BlocksOf(1, static_cast<std::size_t>(result->dimensions[0]), inner,
                             static_cast<std::size_t>(result->dimensions[1]));
  return PrepareProducts(call, std::move(products), *result);
}

OPLEDGER_KERNEL(MatMul, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24")
    .By("vector")
    .Run(&PrepareVectorMatMul);
OPLEDGER_KERNEL(Gemm, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24")
    .By("vector")
    .Run(&PrepareVectorGemm);

}  // namespace
}  // namespace opledger
