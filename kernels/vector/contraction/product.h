// Matrix products in blocks. The right factor is packed into panels as wide as a tile of sums; rows
// of the left factor are copied side by side; sums are float32 until a block of them is complete.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/machine/parallel.h"
#include "kernels/tensor/constant_tensor.h"
#include "kernels/vector/rows/rows.h"

namespace opledger {

// How many products of one shape there are, and how they are divided into blocks.
struct ProductBlocks {
  std::size_t products = 1;
  std::size_t rows = 0;
  std::size_t inner = 0;  // at least 1
  std::size_t columns = 0;
  std::size_t row_block = 0;
  std::size_t column_block = 0;
  std::size_t depth = 0;  // of the inner dimension

  std::size_t RowBlocks() const { return (rows + row_block - 1) / row_block; }
  std::size_t ColumnBlocks() const { return (columns + column_block - 1) / column_block; }
  // Floats in the panels of one right factor.
  std::size_t PanelSize() const;
  // Floats of workspace per thread.
  std::size_t Workspace() const;
  std::size_t SumsStep() const { return column_block + 16; }  // like kProductRowStep
};
// Returns whether the panels, which are padded to whole tiles, would take far more memory than the
// right factors, which have `elements` elements.
bool PanelsAreTooLarge(std::size_t panels, std::size_t elements);
ProductBlocks BlocksOf(std::size_t products, std::size_t rows, std::size_t inner,
                       std::size_t columns);

// Packs rows `begin` to `end` of a right factor into its panels. `read(k, column, n, buffer)`
// returns a pointer to elements `column` to `column` + n of row k, in place or in `buffer`, which
// has kTileSize elements.
template <typename Read>
void PackPanels(const ProductBlocks& blocks, std::size_t begin, std::size_t end, float* panels,
                const Read& read) {
  const std::size_t width = arithmetic::Products().columns;  // divides kTileSize
  float buffer[kTileSize];
  for (std::size_t k = begin; k < end; ++k) {
    for (std::size_t column = 0; column < blocks.columns; column += kTileSize) {
      const std::size_t some = std::min(kTileSize, blocks.columns - column);
      const float* row = read(k, column, some, buffer);
      for (std::size_t at = 0; at < some; at += width) {
        float* to = panels + ((column + at) * blocks.inner) + k * width;
        const std::size_t there = std::min(width, some - at);
        std::copy_n(row + at, there, to);
        std::fill(to + there, to + width, 0.0F);
      }
    }
  }
}

// Packs all right factors in parallel; `read(product, k, column, n, buffer)` as above.
template <typename Read>
void PackAllPanels(const ProductBlocks& blocks, std::size_t products, float* panels,
                   const Read& read) {
  ForParts(products * blocks.inner, kPartSize / blocks.columns + 1,
           [&](std::size_t begin, std::size_t end, std::size_t) {
             while (begin < end) {
               const std::size_t product = begin / blocks.inner;
               const std::size_t k = begin % blocks.inner;
               const std::size_t some = std::min(end - begin, blocks.inner - k);
               PackPanels(blocks, k, k + some, panels + product * blocks.PanelSize(),
                          [&](std::size_t row, std::size_t column, std::size_t n, float* buffer) {
                            return read(product, row, column, n, buffer);
                          });
               begin += some;
             }
           });
}

// Returns the constant panels if there are any; otherwise calls pack(to) to pack them into the
// workspace after that of the blocks.
template <typename Pack>
const float* KnownOrPacked(const ProductBlocks& blocks, const ConstantTensor* known,
                           float* workspace, const Pack& pack) {
  if (known != nullptr) return known->As<float>();
  float* own = workspace + Threads() * blocks.Workspace();
  pack(own);
  return own;
}

// The sums of a block: rows x columns, of `depth` products each. `panels` starts at the block's
// first column and at the current row k.
void MultiplyBlock(const ProductBlocks& blocks, std::size_t rows, std::size_t columns,
                   std::size_t depth, const float* left, const float* panels, float* sums,
                   bool adds);

// Runs all products. read(product, row, rows, k, n, to) writes elements k to k + n of `rows` rows
// of a left factor, n <= kProductDepth, rows kProductRowStep elements apart. panels(product)
// returns the panels of the right factor. finish(product, row, rows, column, n, sums) receives n
// elements of `rows` rows of the result, SumsStep() apart. `workspace`: Workspace() floats for each
// of Threads().
template <typename Read, typename Panels, typename Finish>
void RunProductBlocks(const ProductBlocks& blocks, float* workspace, const Read& read,
                      const Panels& panels, const Finish& finish) {
  const std::size_t row_blocks = blocks.RowBlocks();
  const std::size_t column_blocks = blocks.ColumnBlocks();
  const std::size_t work = blocks.row_block * blocks.column_block * blocks.inner;
  constexpr std::size_t kMinWork = 1 << 19;  // products; with fewer, a thread does not pay
  const auto run_block = [&](std::size_t task, float* left, float* sums) {
    const std::size_t product = task / (row_blocks * column_blocks);
    const std::size_t column = task / row_blocks % column_blocks * blocks.column_block;
    const std::size_t row = task % row_blocks * blocks.row_block;
    const std::size_t rows = std::min(blocks.row_block, blocks.rows - row);
    const std::size_t columns = std::min(blocks.column_block, blocks.columns - column);
    const float* right = panels(product) + column * blocks.inner;
    std::size_t depth = 0;
    for (std::size_t k = 0; k < blocks.inner; k += depth) {
      depth = std::min(blocks.depth, blocks.inner - k);
      read(product, row, rows, k, depth, left);
      MultiplyBlock(blocks, rows, columns, depth, left, right + k * arithmetic::Products().columns,
                    sums, k != 0);
    }
    finish(product, row, rows, column, columns, sums);
  };
  ForParts(blocks.products * row_blocks * column_blocks, kMinWork / (work + 1) + 1,
           [&](std::size_t begin, std::size_t end, std::size_t part) {
             float* left = workspace + part * blocks.Workspace();
             float* sums = left + blocks.row_block * arithmetic::kProductRowStep;
             for (std::size_t task = begin; task < end; ++task) run_block(task, left, sums);
           });
}

// The same, row by row: finish(product, row, column, n, sums).
template <typename Read, typename Panels, typename Finish>
void RunProducts(const ProductBlocks& blocks, float* workspace, const Read& read,
                 const Panels& panels, const Finish& finish) {
  RunProductBlocks(blocks, workspace, read, panels,
                   [&](std::size_t product, std::size_t row, std::size_t rows, std::size_t column,
                       std::size_t n, float* sums) {
                     for (std::size_t i = 0; i < rows; ++i) {
                       finish(product, row + i, column, n, sums + i * blocks.SumsStep());
                     }
                   });
}

}  // namespace opledger
