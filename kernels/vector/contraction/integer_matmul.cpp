// MatMulInteger by tiles. The right factor is packed into panels, once if it is constant.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/contraction/matrix_stacks.h"
#include "kernels/cpu/contraction/zero_points.h"
#include "kernels/machine/parallel.h"
#include "kernels/vector/contraction/integer_panels.h"

namespace opledger {
namespace {

constexpr std::size_t kIntegerRowBlock = 56;  // rows of the left factor per task

struct IntegerMatrices {
  IntegerPanels panels;
  std::size_t rows = 1;
  std::size_t stack = 1;  // of right factors
  ZeroPoints a, b;
  std::vector<std::size_t> lefts;  // the index of the left matrix that each product takes
  std::vector<std::size_t> rights;
  std::shared_ptr<ConstantTensor> known;  // panels of all right factors, if constant

  std::size_t LeftNumbers() const { return kIntegerRowBlock * panels.RowStep(); }
  void ReadRight(const void* bytes, const void* zeros, std::size_t matrix, std::size_t k,
                 std::int16_t* row) const;
  void PackAll(const void* bytes, const void* zeros, std::int16_t* to, std::int16_t* rows_of) const;
  void RunBlock(const void* const* inputs, std::size_t product, std::size_t row,
                const std::int16_t* right, std::int16_t* left, std::uint32_t* out) const;
  void Run(const void* const* inputs, std::uint32_t* out, std::int16_t* workspace) const;
};

void IntegerMatrices::ReadRight(const void* bytes, const void* zeros, std::size_t matrix,
                                std::size_t k, std::int16_t* row) const {
  if (k >= panels.inner) {
    std::fill_n(row, panels.columns, std::int16_t{0});
    return;
  }
  const std::size_t at = (matrix * panels.inner + k) * panels.columns;
  const bool one = b.step == 0;
  SubtractZero(bytes, b.is_signed, at, one ? b.At(zeros, matrix, 0) : 0, panels.columns, row);
  for (std::size_t j = 0; j < panels.columns && !one; ++j) {
    row[j] = static_cast<std::int16_t>(row[j] - b.At(zeros, matrix, j));
  }
}

// `rows_of`: memory for two rows.
void IntegerMatrices::PackAll(const void* bytes, const void* zeros, std::int16_t* to,
                              std::int16_t* rows_of) const {
  for (std::size_t matrix = 0; matrix < stack; ++matrix, to += panels.Numbers()) {
    for (std::size_t pair = 0; pair < panels.Pairs(); ++pair) {
      ReadRight(bytes, zeros, matrix, 2 * pair, rows_of);
      ReadRight(bytes, zeros, matrix, 2 * pair + 1, rows_of + panels.columns);
      panels.Pack(pair, rows_of, rows_of + panels.columns, to);
    }
  }
}

void IntegerMatrices::RunBlock(const void* const* inputs, std::size_t product, std::size_t row,
                               const std::int16_t* right, std::int16_t* left,
                               std::uint32_t* out) const {
  const std::size_t some = std::min(kIntegerRowBlock, rows - row);
  const std::size_t matrix = lefts[product];
  for (std::size_t i = 0; i < some; ++i) {
    std::int16_t* to = left + i * panels.RowStep();
    const std::size_t at = (matrix * rows + row + i) * panels.inner;
    SubtractZero(inputs[0], a.is_signed, at, a.At(inputs[2], matrix, row + i), panels.inner, to);
    std::fill(to + panels.inner, to + panels.RowStep(), std::int16_t{0});
  }
  panels.Multiply(some, left, right + rights[product] * panels.Numbers(),
                  out + (product * rows + row) * panels.columns, panels.columns);
}

// `workspace`: rows of the left factor for each thread, and memory for packing.
void IntegerMatrices::Run(const void* const* inputs, std::uint32_t* out,
                          std::int16_t* workspace) const {
  const std::int16_t* right = nullptr;
  if (known != nullptr) {
    right = known->As<std::int16_t>();
  } else {
    std::int16_t* own = workspace + Threads() * LeftNumbers();
    PackAll(inputs[1], inputs[3], own, own + stack * panels.Numbers());
    right = own;
  }
  const std::size_t blocks = (rows + kIntegerRowBlock - 1) / kIntegerRowBlock;
  constexpr std::size_t kMinWork = 1 << 20;  // products; with fewer, a thread does not pay
  ForParts(lefts.size() * blocks,
           kMinWork / (kIntegerRowBlock * panels.inner * panels.columns + 1) + 1,
           [&](std::size_t begin, std::size_t end, std::size_t part) {
             for (std::size_t task = begin; task < end; ++task) {
               RunBlock(inputs, task / blocks, task % blocks * kIntegerRowBlock, right,
                        workspace + part * LeftNumbers(), out);
             }
           });
}

// Inputs: a, b, zero points of a (one, or one per row) and of b (one, or one per column).
Prepared PrepareVectorMatMulInteger(const Call& call) {
  ChosenKernel reference = ChooseKernel("MatMulInteger", call, {true});
  if (reference.entry == nullptr) return std::move(reference.prepared);
  const MatrixStacks stacks = *ReadMatrixStacks(call);  // the reference has accepted them
  if (Elements(stacks.result) == 0 || stacks.inner == 0) return Refuse("it has an empty tensor");
  IntegerMatrices product;
  product.panels = {stacks.inner, stacks.columns};
  product.rows = stacks.rows;
  product.stack = Elements(stacks.b);
  ReadZeros(call, 2, product.rows, Elements(stacks.a), product.a);
  ReadZeros(call, 3, stacks.columns, product.stack, product.b);
  BroadcastWalk(stacks.whole, {stacks.a, stacks.b})
      .Rows([&](std::size_t, const std::int64_t* offsets, std::size_t count,
                const std::int64_t* steps) {
        for (std::size_t i = 0; i < count; ++i) {
          const auto k = static_cast<std::int64_t>(i);
          product.lefts.push_back(static_cast<std::size_t>(offsets[0] + k * steps[0]));
          product.rights.push_back(static_cast<std::size_t>(offsets[1] + k * steps[1]));
        }
      });
  Prepared prepared;
  prepared.outputs = std::move(reference.prepared.outputs);
  std::size_t numbers = Threads() * product.LeftNumbers();
  const std::size_t packed = product.stack * product.panels.Numbers();
  product.known = PackKnown(call, packed, prepared,
                            [&](const void* bytes, const void* zeros, std::int16_t* to) {
                              std::vector<std::int16_t> rows(2 * stacks.columns);
                              product.PackAll(bytes, zeros, to, rows.data());
                            });
  if (product.known == nullptr) numbers += packed + 2 * stacks.columns;
  prepared.workspace = numbers * sizeof(std::int16_t);
  prepared.run = [product = std::move(product), given = call.inputs.size()](
                     const void* const* inputs, void* const* outputs, void* workspace) {
    const void* all[4] = {};
    std::copy_n(inputs, std::min<std::size_t>(given, 4), all);
    product.Run(all, static_cast<std::uint32_t*>(outputs[0]),
                static_cast<std::int16_t*>(workspace));
  };
  return prepared;
}

OPLEDGER_KERNEL(MatMulInteger, "cpu")
    .Types("T", {Dtype::kInt8, Dtype::kUint8})
    .Accumulates(Dtype::kInt32)
    .ErrorBound("exact")
    .By("vector")
    .Run(&PrepareVectorMatMulInteger);

}  // namespace
}  // namespace opledger
