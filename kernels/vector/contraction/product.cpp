// Chooses block sizes, and multiplies a block by tiles.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/vector/contraction/product.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxRows = 112;  // per block: 112 KB of the left factor
constexpr std::size_t kMaxColumns = 512;
constexpr std::size_t kBlocksPerThread = 4;  // at least, with more than one thread

std::size_t RoundedUp(std::size_t count, std::size_t to) { return (count + to - 1) / to * to; }
std::size_t PartSize(std::size_t count, std::size_t parts) { return (count + parts - 1) / parts; }

}  // namespace

ProductBlocks BlocksOf(std::size_t products, std::size_t rows, std::size_t inner,
                       std::size_t columns) {
  const arithmetic::ProductLoops& loops = arithmetic::Products();
  std::size_t row_parts = PartSize(rows, kMaxRows / loops.rows * loops.rows);
  std::size_t column_parts = PartSize(columns, kMaxColumns);
  const std::size_t wanted = Threads() == 1 ? 1 : Threads() * kBlocksPerThread;
  const auto more = [&] { return products * row_parts * column_parts < wanted; };
  while (more() && rows / (2 * row_parts) >= 2 * loops.rows) row_parts *= 2;
  while (more() && columns / (2 * column_parts) >= 2 * loops.columns) column_parts *= 2;
  ProductBlocks blocks{products, rows, inner, columns, 0, 0, 0};
  blocks.row_block = RoundedUp(PartSize(rows, row_parts), loops.rows);
  blocks.column_block = RoundedUp(PartSize(columns, column_parts), loops.columns);
  blocks.depth = PartSize(inner, PartSize(inner, arithmetic::kProductDepth));
  return blocks;
}

bool PanelsAreTooLarge(std::size_t panels, std::size_t elements) {
  constexpr std::size_t kMuch = std::size_t{1} << 24;  // 64 MB
  return panels > kMuch && panels / 4 > elements;
}

std::size_t ProductBlocks::PanelSize() const {
  return RoundedUp(columns, arithmetic::Products().columns) * inner;
}

std::size_t ProductBlocks::Workspace() const {
  return row_block * (arithmetic::kProductRowStep + SumsStep());
}

// A panel stays in the first-level cache over all rows. Rows are divided evenly among tiles: in a
// last tile of few rows, additions would wait for each other.
void MultiplyBlock(const ProductBlocks& blocks, std::size_t rows, std::size_t columns,
                   std::size_t depth, const float* left, const float* panels, float* sums,
                   bool adds) {
  const arithmetic::ProductLoops& loops = arithmetic::Products();
  const std::size_t tiles = PartSize(rows, loops.rows);
  for (std::size_t column = 0; column < columns; column += loops.columns) {
    const std::size_t wide = columns - column > loops.columns / 2 ? 1 : 0;
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      const std::size_t row = rows * tile / tiles;
      const std::size_t count = rows * (tile + 1) / tiles - row;
      loops.tiles[count - 1][wide](
          depth, left + row * arithmetic::kProductRowStep, panels + column * blocks.inner,
          sums + row * blocks.SumsStep() + column, blocks.SumsStep(), adds);
    }
  }
}

}  // namespace opledger
