// ConvTranspose with channels last. Result positions that are `stride` apart see the same taps of
// the window; each such phase is a convolution of stride 1. Phases that see the same pixels (if the
// window is as large as the stride) form one product with more columns.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel/channels_last.h"
#include "kernels/kernel/fused_call.h"
#include "kernels/tensor/constant_tensor.h"
#include "kernels/vector/contraction/contraction.h"
#include "kernels/vector/contraction/fused_rows.h"
#include "kernels/vector/contraction/image_rows.h"
#include "kernels/vector/rows/strided_row.h"

namespace opledger {
namespace {

using Place = std::array<std::int64_t, kMaxWindowRank>;

// Positions of the result in one dimension: `first`, and those a stride apart.
struct Phase {
  std::int64_t first = 0;
  std::int64_t tap = 0;     // the first tap that they see; others are a stride apart
  std::int64_t taps = 0;    // number of taps
  std::int64_t before = 0;  // pixels before the image in the first position's window
  std::int64_t count = 0;   // number of positions

  bool SeesAs(const Phase& other) const {
    return taps == other.taps && before == other.before && count == other.count;
  }
};

// A product: rows are positions, columns the outputs of each of `phases` in turn.
struct PhaseProduct {
  ProductBlocks blocks;
  ImageRows image;
  std::vector<std::array<Phase, kMaxWindowRank>> phases;
  bool together = false;  // short rows of the image give whole rows of the result (FinishTogether)
  std::shared_ptr<ConstantTensor> panels;
};

struct TransposedConvolution {
  FusedRows fused;
  Dimensions strides;
  Dimensions result;  // spatial
  Dimensions kernel;
  std::size_t groups = 1;
  std::size_t inputs = 1;    // channels of the image
  std::size_t channels = 1;  // of one group
  std::size_t outputs = 1;   // of one group
  Dtype dtype = Dtype::kFloat32;
  std::vector<PhaseProduct> products;

  void Pack(PhaseProduct& product, const void* weights) const;
  void Run(const PhaseProduct& product, const void* const* inputs, void* out,
           float* workspace) const;
  Place PlaceOf(const PhaseProduct& product, std::size_t row, std::size_t& image) const;
  std::size_t Pixel(const std::array<Phase, kMaxWindowRank>& phase, const Place& at,
                    std::size_t image) const;
  void Finish(const PhaseProduct& product, const void* const* inputs, std::size_t group,
              std::size_t row, NumberRange columns, float* sums, void* out) const;
  void FinishTogether(const PhaseProduct& product, const void* const* inputs, NumberRange rows,
                      const float* sums, void* out) const;
};

// Weights are channels x outputs x taps. A phase's window reads its taps from last to first.
void TransposedConvolution::Pack(PhaseProduct& product, const void* weights) const {
  const ProductBlocks& blocks = product.blocks;
  product.panels = std::make_shared<ConstantTensor>(
      TensorType{Dtype::kFloat32, {static_cast<std::int64_t>(groups * blocks.PanelSize())}});
  const std::size_t taps = Elements(kernel);
  PackAllPanels(
      blocks, groups, product.panels->As<float>(),
      [&](std::size_t group, std::size_t k, std::size_t column, std::size_t n, float* buffer) {
        const std::size_t channel = group * channels + k % channels;
        for (std::size_t i = 0; i < n; ++i) {
          const auto& phase = product.phases[(column + i) / outputs];
          std::size_t rest = k / channels;
          std::size_t tap = 0;
          std::size_t size = 1;
          for (std::size_t d = kernel.size(); d-- > 0;) {
            const auto count = static_cast<std::size_t>(phase[d].taps);
            const auto at = phase[d].taps - 1 - static_cast<std::int64_t>(rest % count);
            tap += static_cast<std::size_t>(phase[d].tap + at * strides[d]) * size;
            size *= static_cast<std::size_t>(kernel[d]);
            rest /= count;
          }
          const std::size_t output = (column + i) % outputs;
          GatherRow(dtype, weights, (channel * outputs + output) * taps + tap, 1, 1, buffer + i);
        }
        return buffer;
      });
  product.panels->Share();
}

// The image of a product's row, and its place among the positions of the phases.
Place TransposedConvolution::PlaceOf(const PhaseProduct& product, std::size_t row,
                                     std::size_t& image) const {
  Place at{};
  for (std::size_t d = kernel.size(); d-- > 0;) {
    const auto count = static_cast<std::size_t>(product.phases[0][d].count);
    at[d] = static_cast<std::int64_t>(row % count);
    row /= count;
  }
  image = row;
  return at;
}

std::size_t TransposedConvolution::Pixel(const std::array<Phase, kMaxWindowRank>& phase,
                                         const Place& at, std::size_t image) const {
  std::size_t pixel = image;
  for (std::size_t d = 0; d < kernel.size(); ++d) {
    pixel = pixel * static_cast<std::size_t>(result[d]) +
            static_cast<std::size_t>(at[d] * strides[d] + phase[d].first);
  }
  return pixel;
}

// Stores each phase's part of a row in its own pixel.
void TransposedConvolution::Finish(const PhaseProduct& product, const void* const* inputs,
                                   std::size_t group, std::size_t row, NumberRange columns,
                                   float* sums, void* out) const {
  std::size_t image = 0;
  const Place at = PlaceOf(product, row, image);
  const std::size_t end = columns.first + columns.count;
  for (std::size_t column = columns.first; column < end;) {
    const auto& phase = product.phases[column / outputs];
    const std::size_t output = column % outputs;
    const std::size_t some = std::min(outputs - output, end - column);
    const std::size_t channel = group * outputs + output;
    fused.Finish(inputs, channel, sums + (column - columns.first), out,
                 Pixel(phase, at, image) * groups * outputs + channel, some);
    column += some;
  }
}

// Stores whole rows of one group: the phases together turn a row of the image into a row of the
// result.
void TransposedConvolution::FinishTogether(const PhaseProduct& product, const void* const* inputs,
                                           NumberRange rows, const float* sums, void* out) const {
  const auto phases = static_cast<std::size_t>(strides.back());
  const auto length = static_cast<std::size_t>(product.phases[0][kernel.size() - 1].count);
  const std::size_t step = product.blocks.SumsStep();
  for (std::size_t done = 0; done < rows.count;) {
    std::size_t image = 0;
    const Place at = PlaceOf(product, rows.first + done, image);
    const std::size_t some =
        std::min(length - static_cast<std::size_t>(at[kernel.size() - 1]), rows.count - done);
    for (std::size_t i = 0; i < product.phases.size(); i += phases) {
      fused.FinishRows(inputs, outputs, sums + done * step + i * outputs, step, some,
                       phases * outputs, out, Pixel(product.phases[i], at, image) * outputs);
    }
    done += some;
  }
}

void TransposedConvolution::Run(const PhaseProduct& product, const void* const* inputs, void* out,
                                float* workspace) const {
  const ProductBlocks& blocks = product.blocks;
  RunProductBlocks(
      blocks, workspace,
      [&](std::size_t group, std::size_t row, std::size_t rows, std::size_t k, std::size_t n,
          float* to) {
        product.image.Read(inputs[0], group * channels, {row, rows}, {k, n}, to);
      },
      [&](std::size_t group) { return product.panels->As<float>() + group * blocks.PanelSize(); },
      [&](std::size_t group, std::size_t row, std::size_t rows, std::size_t column, std::size_t n,
          float* sums) {
        if (product.together) return FinishTogether(product, inputs, {row, rows}, sums, out);
        for (std::size_t i = 0; i < rows; ++i) {
          Finish(product, inputs, group, row + i, {column, n}, sums + i * blocks.SumsStep(), out);
        }
      });
}

// Returns the phases of one dimension. Empty if some position sees no tap.
std::vector<Phase> PhasesOf(std::int64_t kernel, std::int64_t stride, std::int64_t begin,
                            std::int64_t result) {
  std::vector<Phase> phases;
  for (std::int64_t first = 0; first < std::min(stride, result); ++first) {
    Phase phase;
    phase.first = first;
    phase.tap = (first + begin) % stride;
    if (phase.tap >= kernel) return {};
    phase.taps = (kernel - phase.tap + stride - 1) / stride;
    phase.before = phase.taps - 1 - (first + begin) / stride;
    phase.count = (result - first + stride - 1) / stride;
    phases.push_back(phase);
  }
  return phases;
}

using PhaseGroup = std::vector<std::array<Phase, kMaxWindowRank>>;

// All combinations of the phases of each dimension, grouped by the pixels that they see.
std::vector<PhaseGroup> GroupPhases(const std::vector<std::vector<Phase>>& dimensions) {
  PhaseGroup all(1);
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    PhaseGroup longer;
    for (const auto& start : all) {
      for (const Phase& phase : dimensions[d]) {
        longer.push_back(start);
        longer.back()[d] = phase;
      }
    }
    all = std::move(longer);
  }
  std::vector<PhaseGroup> groups;
  for (const auto& phase : all) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const PhaseGroup& group) {
      for (std::size_t d = 0; d < dimensions.size(); ++d) {
        if (!phase[d].SeesAs(group.front()[d])) return false;
      }
      return true;
    });
    if (same == groups.end()) {
      groups.push_back({phase});
    } else {
      same->push_back(phase);
    }
  }
  return groups;
}

// Returns whether the group has all phases of the last of `rank` dimensions, in order.
bool HasAllOfLast(const PhaseGroup& group, std::size_t rank, std::size_t stride) {
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (group[i][rank - 1].first != static_cast<std::int64_t>(i % stride)) return false;
  }
  return group.size() % stride == 0;
}

// Returns the window that all phases of a group slide over the image.
Window WindowOf(const PhaseGroup& group, const Dimensions& image) {
  Window window;
  window.input = image;
  window.strides.assign(image.size(), 1);
  window.dilations.assign(image.size(), 1);
  for (std::size_t d = 0; d < image.size(); ++d) {
    const Phase& phase = group.front()[d];
    window.kernel.push_back(phase.taps);
    window.begin.push_back(phase.before);
    window.end.push_back(
        std::max<std::int64_t>(0, phase.count - 1 - phase.before + phase.taps - image[d]));
    window.output.push_back(phase.count);
  }
  return window;
}

// Returns an empty string, or the reason for refusing the call.
std::string ReadTransposed(const Call& call, TransposedConvolution& convolution) {
  const std::size_t rank = call.Shape(0).size() - 2;
  if (rank == 0 || rank > kMaxWindowRank) return "it has no spatial dimensions, or too many";
  convolution.dtype = call.Input(0).dtype;
  convolution.groups = static_cast<std::size_t>(call.parameters.Integer("groups", 1));
  convolution.inputs = static_cast<std::size_t>(call.Shape(0).back());
  convolution.channels = convolution.inputs / convolution.groups;
  convolution.outputs = static_cast<std::size_t>(call.Shape(1)[1]);
  convolution.kernel.assign(call.Shape(1).begin() + 2, call.Shape(1).end());
  convolution.result = call.parameters.List("output");
  convolution.strides = call.parameters.List("strides");
  convolution.strides.resize(rank, 1);
  const Dimensions dilations = call.parameters.List("dilations");
  if (std::any_of(dilations.begin(), dilations.end(), [](std::int64_t d) { return d != 1; })) {
    return "its window is dilated";
  }
  convolution.fused = FusedRowsOf(call, false);
  return convolution.fused.unknown_activation ? "its activation is not supported" : "";
}

// Makes a product for each group of phases. Returns false if the panels of one would be too large.
bool MakeProducts(const Call& call, const std::vector<std::vector<Phase>>& phases,
                  TransposedConvolution& convolution) {
  const Dimensions image(call.Shape(0).begin() + 1, call.Shape(0).end() - 1);
  for (PhaseGroup& group : GroupPhases(phases)) {
    PhaseProduct product;
    const Window window = WindowOf(group, image);
    product.image = ImageRowsOf(window, convolution.inputs, convolution.groups, convolution.dtype);
    product.blocks = BlocksOf(
        convolution.groups, static_cast<std::size_t>(call.Shape(0)[0]) * window.Positions(),
        convolution.channels * window.Taps(), group.size() * convolution.outputs);
    if (PanelsAreTooLarge(convolution.groups * product.blocks.PanelSize(),
                          Elements(call.Shape(1)))) {
      return false;
    }
    product.phases = std::move(group);
    const auto stride = static_cast<std::size_t>(convolution.strides.back());
    product.together = convolution.groups == 1 && product.blocks.ColumnBlocks() == 1 &&
                       stride * convolution.outputs <= kShortRow &&
                       HasAllOfLast(product.phases, image.size(), stride);
    convolution.Pack(product, call.constants[1]);
    convolution.products.push_back(std::move(product));
  }
  return true;
}

Prepared PrepareVectorConvTranspose(const Call& call) {
  const ChosenKernel reference = ChooseKernel("ConvTranspose", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const TensorType& result = reference.prepared.outputs[0];
  if (call.constants[1] == nullptr) return Refuse("its weights are computed at run time");
  if (Elements(result.dimensions) == 0 || Elements(call.Shape(0)) == 0 ||
      Elements(call.Shape(1)) == 0) {
    return Refuse("it has an empty tensor");
  }
  TransposedConvolution convolution;
  if (std::string why = ReadTransposed(call, convolution); !why.empty()) return Refuse(why);
  Dimensions begin = call.parameters.List("begin");
  begin.resize(convolution.kernel.size(), 0);
  std::vector<std::vector<Phase>> phases;
  for (std::size_t d = 0; d < begin.size(); ++d) {
    phases.push_back(
        PhasesOf(convolution.kernel[d], convolution.strides[d], begin[d], convolution.result[d]));
    if (phases.back().empty()) return Refuse("its window is smaller than its stride");
  }
  if (!MakeProducts(call, phases, convolution)) return Refuse("its groups have too few channels");
  Prepared prepared;
  prepared.outputs = {result};
  for (const PhaseProduct& product : convolution.products) {
    prepared.workspace =
        std::max(prepared.workspace, Threads() * product.blocks.Workspace() * sizeof(float));
  }
  prepared.unread_inputs.push_back(1);
  prepared.run = [convolution = std::move(convolution)](const void* const* tensors,
                                                        void* const* outputs, void* workspace) {
    for (const PhaseProduct& product : convolution.products) {
      convolution.Run(product, tensors, outputs[0], static_cast<float*>(workspace));
    }
  };
  return prepared;
}

bool TransposesChannelsSecond(const Call& call) { return !ChannelsLast(call); }
bool TransposesWithBias(const Call& call) { return !IsFused(call) && call.Has(2); }

OPLEDGER_KERNEL(ConvTranspose, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24")
    .Refuses("its channels are not last", &TransposesChannelsSecond)
    .Refuses("its bias is not fused", &TransposesWithBias)
    .By("vector")
    .Run(&PrepareVectorConvTranspose);

}  // namespace
}  // namespace opledger
