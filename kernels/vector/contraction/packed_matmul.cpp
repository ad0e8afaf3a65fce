// Products with 4-bit and 8-bit weights, which are packed once, without widening them, into panels
// as wide as a tile. For one or two rows, panels are widened in registers; for more, pieces of a
// panel are widened into the first-level cache for the tiles of other products. If accuracy 4
// permits, rows become bytes with a scale for each block, and products with 4-bit weights use
// integers.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>

#include "kernels/arithmetic/loops/loops.h"
#include "kernels/cpu/contraction/packed_weights.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/constant_tensor.h"
#include "kernels/tensor/narrow_element.h"
#include "kernels/vector/rows/rows.h"
#include "kernels/vector/rows/strided_row.h"

namespace opledger {
namespace {

using arithmetic::kPanelDepth;
using arithmetic::QuantisedRows;
using arithmetic::WeightFormat;
using arithmetic::WeightPanel;

constexpr std::size_t kRowBlock = 126;  // rows per widened panel, a multiple of the rows of a tile
constexpr std::size_t kPanelGroup = 8;  // panels per pass over such rows
constexpr std::size_t kByteRows = 64;   // quantized rows per panel
constexpr std::size_t kMaxPanelColumns = 32;  // of a panel
constexpr std::size_t kMinPanelWork = std::size_t{1}
                                      << 18;  // products; with fewer, a thread does not pay

std::shared_ptr<ConstantTensor> AllocateBytes(std::size_t bytes) {
  return std::make_shared<ConstantTensor>(
      TensorType{Dtype::kUint8, {static_cast<std::int64_t>(bytes)}});
}

std::optional<WeightFormat> FormatOf(Dtype dtype) {
  switch (dtype) {
    case Dtype::kUint4:
    case Dtype::kInt4:
      return WeightFormat::kUint4;
    case Dtype::kUint8:
    case Dtype::kInt8:
      return WeightFormat::kUint8;
    case Dtype::kFloat8E4M3:
      return WeightFormat::kFloat8E4M3;
    case Dtype::kFloat8E5M2:
      return WeightFormat::kFloat8E5M2;
    default:
      return std::nullopt;
  }
}

// Packs weights into panels.
class PanelPacker {
 public:
  PanelPacker(const PackedWeights& from, WeightFormat format)
      : from_(from),
        format_(format),
        columns_(arithmetic::Products().columns),
        depth_((from.inner + kPanelDepth - 1) / kPanelDepth * kPanelDepth),
        bias_(from.dtype == Dtype::kInt4   ? 8
              : from.dtype == Dtype::kInt8 ? 128
                                           : 0) {}

  // Fails if a panel cannot represent one of the values.
  Status Pack(const Call& call);

  std::size_t depth() const { return depth_; }
  std::size_t Panels() const { return (from_.columns + columns_ - 1) / columns_; }
  std::size_t PanelBytes() const {
    return depth_ * columns_ / (format_ == WeightFormat::kUint4 ? 2 : 1);
  }
  // Scales or zero points per panel, including those of padding after the last block.
  std::size_t PanelScales() const { return (depth_ + from_.block - 1) / from_.block * columns_; }

  std::shared_ptr<ConstantTensor> weights, scales, zeros;
  std::uint8_t zero = 0;

 private:
  Status PackScales(const Call& call);
  Status PackZeros(const Call& call);
  void ReadRows(const std::uint8_t* bytes, std::size_t k, std::size_t n, std::uint8_t* rows) const;
  void PackPanel(const std::uint8_t* bytes, std::size_t panel) const;
  void PackNibbleColumns(const std::uint8_t* bytes, std::size_t panel) const;

  const PackedWeights& from_;
  WeightFormat format_;
  std::size_t columns_;
  std::size_t depth_;
  int bias_;  // added to signed integers and to their zero points
};

Status PanelPacker::PackScales(const Call& call) {
  scales = AllocateBytes(Panels() * PanelScales() * sizeof(float));
  for (std::size_t n = 0; n < from_.columns; ++n) {
    float* to = scales->As<float>() + n / columns_ * PanelScales() + n % columns_;
    for (std::size_t block = 0; block < from_.Blocks(); ++block) {
      const auto scale = static_cast<float>(from_.ScaleAt(call.constants[2], block, n));
      if (!std::isfinite(scale)) return "a scale is not finite";
      to[block * columns_] = scale;
    }
  }
  return {};
}

Status PanelPacker::PackZeros(const Call& call) {
  const bool is_float = format_ != WeightFormat::kUint4 && format_ != WeightFormat::kUint8;
  constexpr const char* kNotHeld =
      "a zero point is not an integer with as many bits as the weights";
  const auto held = [&](double number, std::uint8_t& as) {
    const double biased = number + bias_;
    const int most = format_ == WeightFormat::kUint4 ? 15 : 255;
    if (is_float ? number != 0 : biased < 0 || biased > most || biased != std::floor(biased)) {
      return false;
    }
    as = static_cast<std::uint8_t>(biased);
    return true;
  };
  if (!call.Has(3)) {
    return held(static_cast<double>(from_.zero), zero) ? Status() : Status(kNotHeld);
  }
  if (!is_float) zeros = AllocateBytes(Panels() * PanelScales());
  for (std::size_t n = 0; n < from_.columns; ++n) {
    for (std::size_t block = 0; block < from_.Blocks(); ++block) {
      std::uint8_t packed = 0;
      if (!held(from_.ZeroAt(call.constants[3], block, n), packed)) return kNotHeld;
      if (is_float) continue;
      zeros->As<std::uint8_t>()[n / columns_ * PanelScales() + block * columns_ + n % columns_] =
          packed;
    }
  }
  return {};
}

// Reads eight rows of a panel from (k, n) on, one byte per weight; 0 outside the matrix.
void PanelPacker::ReadRows(const std::uint8_t* bytes, std::size_t k, std::size_t n,
                           std::uint8_t* rows) const {
  std::fill(rows, rows + 8 * columns_, std::uint8_t{0});
  const std::size_t depth = std::min<std::size_t>(8, from_.inner - std::min(k, from_.inner));
  const std::size_t width = std::min(columns_, from_.columns - n);
  for (std::size_t i = 0; i < depth; ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      const std::size_t at = (k + i) * from_.inner_step + (n + j) * from_.column_step;
      const int bits =
          format_ == WeightFormat::kUint4 ? bytes[at / 2] >> at % 2 * 4 & 15 : bytes[at];
      rows[i * columns_ + j] = static_cast<std::uint8_t>(bits ^ bias_);
    }
  }
}

void PanelPacker::PackPanel(const std::uint8_t* bytes, std::size_t panel) const {
  std::uint8_t rows[8 * kMaxPanelColumns];
  auto* to = weights->As<std::uint8_t>() + panel * PanelBytes();
  for (std::size_t k = 0; k < depth_; k += 8) {
    ReadRows(bytes, k, panel * columns_, rows);
    if (format_ != WeightFormat::kUint4) {
      std::copy(rows, rows + 8 * columns_, to + k * columns_);
      continue;
    }
    for (std::size_t j = 0; j < columns_; ++j) {
      for (std::size_t i = 0; i < 4; ++i) {
        to[arithmetic::NibbleByte(k + i, j, columns_)] =
            static_cast<std::uint8_t>(rows[i * columns_ + j] | rows[(i + 4) * columns_ + j] << 4);
      }
    }
  }
}

// Packs 4-bit weights like PackPanel, for columns whose elements are contiguous: eight of them are
// 32 bits, which are only reordered.
void PanelPacker::PackNibbleColumns(const std::uint8_t* bytes, std::size_t panel) const {
  const auto spread = [](std::uint32_t four) {
    four = (four | four << 8) & 0x00FF00FF;
    return (four | four << 4) & 0x0F0F0F0F;
  };
  auto* to = weights->As<std::uint8_t>() + panel * PanelBytes();
  const std::size_t width = std::min(columns_, from_.columns - panel * columns_);
  for (std::size_t j = 0; j < width; ++j) {
    const std::uint8_t* column = bytes + (panel * columns_ + j) * from_.column_step / 2;
    for (std::size_t k = 0; k < from_.inner; k += 8) {
      std::uint32_t eight = 0;
      std::memcpy(&eight, column + k / 2, sizeof(eight));
      if (bias_ != 0) eight ^= 0x88888888;
      const std::uint32_t packed = spread(eight & 0xFFFF) | spread(eight >> 16) << 4;
      std::memcpy(to + arithmetic::NibbleByte(k, j, columns_), &packed, sizeof(packed));
    }
  }
}

Status PanelPacker::Pack(const Call& call) {
  if (Status scales_fit = PackScales(call); !scales_fit.ok()) return scales_fit;
  if (Status zeros_fit = PackZeros(call); !zeros_fit.ok()) return zeros_fit;
  const auto* bytes = static_cast<const std::uint8_t*>(call.constants[1]);
  if (IsFloat8(from_.dtype)) {
    for (std::size_t i = 0; i < Elements(call.Shape(1)); ++i) {
      if (std::isfinite(FromFloat8(bytes[i], from_.dtype))) continue;
      return "a weight is not finite";
    }
  }
  weights = AllocateBytes(Panels() * PanelBytes());
  const bool whole = format_ == WeightFormat::kUint4 && from_.inner_step == 1 &&
                     from_.inner % 8 == 0 && from_.column_step % 2 == 0;
  ForParts(Panels(), kMinPanelWork / PanelBytes() + 1,
           [&](std::size_t begin, std::size_t end, std::size_t) {
             for (std::size_t panel = begin; panel < end; ++panel) {
               whole ? PackNibbleColumns(bytes, panel) : PackPanel(bytes, panel);
             }
           });
  for (const auto& each : {weights, scales, zeros}) {
    if (each != nullptr) each->Share();
  }
  return {};
}

struct PackedProduct {
  Dtype dtype = Dtype::kFloat32;
  std::size_t format = 0;
  std::size_t rows = 0;
  std::size_t inner = 0;
  std::size_t columns = 0;
  std::size_t block = 0;
  std::size_t depth = 0;  // of panels: `inner` with padding
  std::size_t panels = 0;
  std::size_t panel_bytes = 0;
  std::size_t panel_scales = 0;
  bool rounds_rows = false;
  std::shared_ptr<ConstantTensor> weights, scales, zeros;
  std::uint8_t zero = 0;

  // In floats: the converted rows, then a row for each thread.
  std::size_t Workspace() const;
  void Run(const void* left, void* out, float* workspace) const;

 private:
  WeightPanel Panel(std::size_t panel) const;
  void Store(const float* sums, std::size_t row, std::size_t panel, void* out) const;
  std::size_t Pieces() const {
    return (depth + arithmetic::kProductDepth - 1) / arithmetic::kProductDepth;
  }
  template <typename Each>
  void ForPanels(const Each& each) const;
  void QuantiseRow(const float* row, std::size_t first, std::size_t count, std::size_t at,
                   float* workspace) const;
  QuantisedRows Quantised(std::size_t first, const float* workspace) const;
  void RunBytes(const void* left, void* out, float* workspace) const;
  void RunRows(const void* left, void* out, float* workspace) const;
  void RunTiles(const void* left, void* out, float* workspace) const;
  void RunBlock(std::size_t first, std::size_t panel, std::size_t some, void* out,
                const float* workspace) const;
};

constexpr std::size_t kFewRows = 2;  // multiplied one by one

std::size_t PackedProduct::Workspace() const {
  const std::size_t chunks = rows * (depth / kPanelDepth);
  if (rounds_rows) return chunks * (kPanelDepth / sizeof(float) + 2) + Threads() * depth;
  if (rows <= kFewRows) return rows * depth;
  return rows * Pieces() * arithmetic::kProductRowStep;
}

WeightPanel PackedProduct::Panel(std::size_t panel) const {
  const std::size_t scale = panel * panel_scales;
  return {weights->As<std::uint8_t>() + panel * panel_bytes,
          zeros == nullptr ? nullptr : zeros->As<std::uint8_t>() + scale,
          scales->As<float>() + scale,
          depth,
          block,
          zero};
}

// Stores a row of sums, one for each column of the panel.
void PackedProduct::Store(const float* sums, std::size_t row, std::size_t panel, void* out) const {
  const std::size_t width = arithmetic::Products().columns;
  const std::size_t n = std::min(width, columns - panel * width);
  const std::size_t at = row * columns + panel * width;
  if (dtype == Dtype::kFloat32) {
    CopyFew(sums, static_cast<float*>(out) + at, n);
  } else {
    StoreRow(dtype, sums, out, at, n);
  }
}

template <typename Each>
void PackedProduct::ForPanels(const Each& each) const {
  const std::size_t work = rows * depth * arithmetic::Products().columns;
  ForParts(panels, kMinPanelWork / (work + 1) + 1,
           [&](std::size_t begin, std::size_t end, std::size_t) {
             for (std::size_t panel = begin; panel < end; ++panel) each(panel);
           });
}

// Quantizes row `at` of the `count` rows, from `first` on, that are multiplied together.
void PackedProduct::QuantiseRow(const float* row, std::size_t first, std::size_t count,
                                std::size_t at, float* workspace) const {
  const QuantisedRows to = Quantised(first, workspace);
  constexpr float kMost = 127;
  for (std::size_t k = 0; k < inner;) {
    const std::size_t end = std::min({(k / block + 1) * block, inner});
    float least = 0;
    float greatest = 0;
    arithmetic::Rows().range(row + k, end - k, &least, &greatest);
    const bool is_finite =
        arithmetic::Rows().float32_finite(reinterpret_cast<const char*>(row + k), end - k);
    const float scale =
        is_finite ? std::max(-least, greatest) / kMost : std::numeric_limits<float>::quiet_NaN();
    for (; k < end; k += kPanelDepth) {
      const std::size_t chunk = k / kPanelDepth * count + at;
      auto* bytes = const_cast<std::int8_t*>(to.bytes) + chunk * kPanelDepth;
      std::fill(bytes, bytes + kPanelDepth, std::int8_t{0});
      if (is_finite && scale > 0) {
        arithmetic::Rows().quantise(row + k, scale, {0, -kMost, kMost},
                                    reinterpret_cast<std::uint8_t*>(bytes),
                                    std::min(kPanelDepth, end - k));
      }
      int total = 0;
      for (std::size_t i = 0; i < kPanelDepth; ++i) total += bytes[i];
      const_cast<float*>(to.scales)[chunk] = scale;
      const_cast<float*>(to.totals)[chunk] = static_cast<float>(total);
    }
  }
}

QuantisedRows PackedProduct::Quantised(std::size_t first, const float* workspace) const {
  const std::size_t chunks = depth / kPanelDepth;
  const float* scales_of = workspace + rows * depth / sizeof(float);
  return {reinterpret_cast<const std::int8_t*>(workspace) + first * depth,
          scales_of + first * chunks, scales_of + (rows + first) * chunks};
}

void PackedProduct::RunBytes(const void* left, void* out, float* workspace) const {
  const std::size_t chunks = rows * (depth / kPanelDepth);
  float* own = workspace + chunks * (kPanelDepth / sizeof(float) + 2);
  ForParts(rows, kPartSize / inner + 1, [&](std::size_t begin, std::size_t end, std::size_t part) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::size_t first = row / kByteRows * kByteRows;
      QuantiseRow(LoadRow(dtype, left, row * inner, inner, own + part * depth), first,
                  std::min(kByteRows, rows - first), row - first, workspace);
    }
  });
  ForPanels([&](std::size_t panel) {
    const std::size_t width = arithmetic::Products().columns;
    float sums[kByteRows * kMaxPanelColumns];
    for (std::size_t row = 0; row < rows; row += kByteRows) {
      const std::size_t count = std::min(kByteRows, rows - row);
      arithmetic::Integers().nibbles(Panel(panel), count, Quantised(row, workspace), sums);
      for (std::size_t i = 0; i < count; ++i) Store(sums + i * width, row + i, panel, out);
    }
  });
}

void PackedProduct::RunRows(const void* left, void* out, float* workspace) const {
  for (std::size_t row = 0; row < rows; ++row) {
    float* to = workspace + row * depth;
    arithmetic::Upcast(dtype, At(dtype, left, row * inner), to, inner);
    std::fill(to + inner, to + depth, 0.0F);
  }
  ForPanels([&](std::size_t panel) {
    float sums[kMaxPanelColumns];
    for (std::size_t row = 0; row < rows; ++row) {
      arithmetic::Weights().row[format](Panel(panel), workspace + row * depth, sums);
      Store(sums, row, panel, out);
    }
  });
}

// Rows of the left factor are stored as tiles read them: by pieces of the depth, each with all
// rows.
void PackedProduct::RunTiles(const void* left, void* out, float* workspace) const {
  constexpr std::size_t kPiece = arithmetic::kProductDepth;
  constexpr std::size_t kStep = arithmetic::kProductRowStep;
  ForParts(rows, kPartSize / inner + 1, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t row = begin; row < end; ++row) {
      for (std::size_t piece = 0; piece < Pieces(); ++piece) {
        float* to = workspace + (piece * rows + row) * kStep;
        const std::size_t n = std::min(kPiece, inner - std::min(inner, piece * kPiece));
        arithmetic::Upcast(dtype, At(dtype, left, row * inner + piece * kPiece), to, n);
        std::fill(to + n, to + kPiece, 0.0F);
      }
    }
  });
  const std::size_t group = std::clamp<std::size_t>(panels / (2 * Threads()), 1, kPanelGroup);
  const std::size_t work = rows * depth * group * arithmetic::Products().columns;
  ForParts((panels + group - 1) / group, kMinPanelWork / (work + 1) + 1,
           [&](std::size_t begin, std::size_t end, std::size_t) {
             for (std::size_t at = begin * group; at < end * group; at += group) {
               for (std::size_t row = 0; row < rows; row += kRowBlock) {
                 RunBlock(row, at, std::min(group, panels - at), out, workspace);
               }
             }
           });
}

// Multiplies some rows by some panels; pieces of the rows stay in the cache over all panels.
void PackedProduct::RunBlock(std::size_t first, std::size_t panel, std::size_t some, void* out,
                             const float* workspace) const {
  constexpr std::size_t kPiece = arithmetic::kProductDepth;
  constexpr std::size_t kStep = arithmetic::kProductRowStep;
  const arithmetic::ProductLoops& loops = arithmetic::Products();
  alignas(kTensorAlignment) float wide[kPiece * kMaxPanelColumns];
  float sums[kPanelGroup][kRowBlock * kMaxPanelColumns];
  const std::size_t count = std::min(kRowBlock, rows - first);
  const std::size_t tiles = (count + loops.rows - 1) / loops.rows;
  for (std::size_t piece = 0; piece < Pieces(); ++piece) {
    const std::size_t n = std::min(kPiece, depth - piece * kPiece);
    const float* left = workspace + (piece * rows + first) * kStep;
    for (std::size_t i = 0; i < some; ++i) {
      arithmetic::Weights().widen[format](Panel(panel + i), piece * kPiece, piece * kPiece + n,
                                          wide);
      for (std::size_t tile = 0; tile < tiles; ++tile) {
        const std::size_t row = count * tile / tiles;
        const std::size_t height = count * (tile + 1) / tiles - row;
        loops.tiles[height - 1][1](n, left + row * kStep, wide, sums[i] + row * loops.columns,
                                   loops.columns, piece != 0);
      }
    }
  }
  for (std::size_t i = 0; i < some; ++i) {
    for (std::size_t row = 0; row < count; ++row) {
      Store(sums[i] + row * loops.columns, first + row, panel + i, out);
    }
  }
}

void PackedProduct::Run(const void* left, void* out, float* workspace) const {
  if (rounds_rows) return RunBytes(left, out, workspace);
  rows <= kFewRows ? RunRows(left, out, workspace) : RunTiles(left, out, workspace);
}

Prepared PrepareVectorMatMulNBits(const Call& call) {
  ChosenKernel reference = ChooseKernel("MatMulNBits", call, {true});
  if (reference.entry == nullptr) return std::move(reference.prepared);
  auto read = ReadKnownWeights(call);
  if (!read) return Refuse(read.status());
  PackedWeights& weights = *read;
  const auto format = FormatOf(weights.dtype);
  const bool one_block = weights.block >= weights.inner;
  if (!format || (weights.block % 16 != 0 && !one_block)) {
    return Refuse("its blocks are not multiples of 16 elements");
  }
  PackedProduct product;
  product.dtype = call.Input(0).dtype;
  product.rows = Elements(call.Shape(0)) / weights.inner;
  if (product.rows == 0) return Refuse("it has an empty tensor");
  PanelPacker packer(weights, *format);
  product.format = static_cast<std::size_t>(*format);
  product.inner = weights.inner;
  product.columns = weights.columns;
  product.depth = packer.depth();
  product.block = one_block ? packer.depth() : weights.block;
  if (one_block) weights.block = packer.depth();
  if (const Status packed = packer.Pack(call); !packed.ok()) return Refuse(packed);
  product.panels = packer.Panels();
  product.panel_bytes = packer.PanelBytes();
  product.panel_scales = packer.PanelScales();
  product.weights = packer.weights;
  product.scales = packer.scales;
  product.zeros = packer.zeros;
  product.zero = packer.zero;
  product.rounds_rows = call.parameters.Integer("accuracy", 0) == 4 &&
                        *format == WeightFormat::kUint4 && product.block % kPanelDepth == 0;
  Prepared prepared;
  prepared.outputs = std::move(reference.prepared.outputs);
  prepared.workspace = product.Workspace() * sizeof(float);
  prepared.unread_inputs = WeightInputs(call);
  prepared.run = [product = std::move(product)](const void* const* inputs, void* const* outputs,
                                                void* workspace) {
    product.Run(inputs[0], outputs[0], static_cast<float*>(workspace));
  };
  return prepared;
}

OPLEDGER_KERNEL(MatMulNBits, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24; with accuracy 4, 2^-8 of each block's largest element of a")
    .By("vector")
    .Run(&PrepareVectorMatMulNBits);

}  // namespace
}  // namespace opledger
