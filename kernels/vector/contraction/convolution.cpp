// Conv with channels last. The matrix of positions and taps is never stored: rows of it are read
// from the image as blocks of a product need them. Groups with few channels are computed by
// channels.
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "kernels/kernel/channels_last.h"
#include "kernels/kernel/fused_call.h"
#include "kernels/tensor/constant_tensor.h"
#include "kernels/vector/contraction/contraction.h"
#include "kernels/vector/contraction/depthwise.h"
#include "kernels/vector/contraction/fused_rows.h"
#include "kernels/vector/contraction/image_rows.h"
#include "kernels/vector/contraction/small_groups.h"
#include "kernels/vector/rows/strided_row.h"

namespace opledger {
namespace {

// One product for each group; its rows are the positions of all images.
struct GroupedConvolution {
  ProductBlocks blocks;
  FusedRows fused;
  ImageRows image;
  std::size_t channels = 1;  // of one group
  std::size_t taps = 1;
  std::shared_ptr<ConstantTensor> panels;  // set if the weights are constant
  std::vector<float> scale;                // folded into the panels

  void Pack(const void* weights, float* to) const;
  void Run(const void* const* inputs, void* out, float* workspace) const;
};

// Weights are outputs x channels x taps; rows of a product are taps x channels.
void GroupedConvolution::Pack(const void* weights, float* to) const {
  PackAllPanels(
      blocks, blocks.products, to,
      [&](std::size_t group, std::size_t k, std::size_t column, std::size_t n, float* buffer) {
        const std::size_t output = group * blocks.columns + column;
        const std::size_t at = k % channels * taps + k / channels;
        GatherRow(image.dtype, weights, output * blocks.inner + at, blocks.inner, n, buffer);
        for (std::size_t i = 0; i < n && !scale.empty(); ++i) {
          buffer[i] *= scale[output + i];
        }
        return buffer;
      });
}

void GroupedConvolution::Run(const void* const* inputs, void* out, float* workspace) const {
  const float* packed =
      KnownOrPacked(blocks, panels.get(), workspace, [&](float* to) { Pack(inputs[1], to); });
  const std::size_t outputs = blocks.products * blocks.columns;
  const bool short_rows =
      blocks.products == 1 && outputs <= kShortRow && blocks.ColumnBlocks() == 1;
  RunProductBlocks(
      blocks, workspace,
      [&](std::size_t group, std::size_t row, std::size_t rows, std::size_t k, std::size_t n,
          float* to) {
        image.Read(inputs[0], group * channels, {row, rows}, {k, n}, to);
      },
      [&](std::size_t group) { return packed + group * blocks.PanelSize(); },
      [&](std::size_t group, std::size_t row, std::size_t rows, std::size_t column, std::size_t n,
          float* sums) {
        if (short_rows) {
          return fused.FinishRows(inputs, n, sums, blocks.SumsStep(), rows, n, out, row * n);
        }
        const std::size_t channel = group * blocks.columns + column;
        for (std::size_t i = 0; i < rows; ++i) {
          fused.Finish(inputs, channel, sums + i * blocks.SumsStep(), out,
                       (row + i) * outputs + channel, n);
        }
      });
}

Prepared PrepareGrouped(const Call& call, GroupedConvolution convolution,
                        const TensorType& result) {
  const std::size_t groups = convolution.blocks.products;
  const std::size_t channels = groups * convolution.blocks.columns;
  return PrepareContraction(call, std::move(convolution), groups, channels,
                            "its groups have too few channels", result);
}

Prepared PrepareVectorConv(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Conv", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  const TensorType& result = reference.prepared.outputs[0];
  if (Elements(result.dimensions) == 0 || Elements(call.Shape(1)) == 0) {
    return Refuse("it has an empty tensor");
  }
  Call seen = call;  // ReadWindow expects channels second
  seen.inputs[0]->dimensions = ToChannelsFirst(call.Shape(0));
  const auto window = ReadWindow(seen);
  if (!window) return Refuse(window.status());
  if (window->Rank() == 0 || window->Rank() > kMaxWindowRank) {
    return Refuse("it has no spatial dimensions, or too many");
  }
  const auto inputs = static_cast<std::size_t>(call.Shape(0).back());
  const auto outputs = static_cast<std::size_t>(call.Shape(1)[0]);
  const auto groups = static_cast<std::size_t>(call.parameters.Integer("groups", 1));
  if (AreSmallGroups(*window, groups, inputs / groups, outputs / groups)) {
    Prepared prepared = PrepareSmallGroups(call, *window, result);
    if (prepared.refusal.ok()) return prepared;
  }
  if (groups == inputs && groups == outputs && groups > 1) {
    return PrepareDepthwise(call, *window, result);
  }
  GroupedConvolution convolution;
  convolution.channels = inputs / groups;
  convolution.taps = window->Taps();
  convolution.image = ImageRowsOf(*window, inputs, groups, call.Input(0).dtype);
  const std::size_t rows = Elements(result.dimensions) / outputs;
  convolution.blocks =
      BlocksOf(groups, rows, convolution.channels * convolution.taps, outputs / groups);
  return PrepareGrouped(call, std::move(convolution), result);
}

bool ConvolvesChannelsSecond(const Call& call) { return !ChannelsLast(call); }
bool ConvolvesWithBias(const Call& call) { return !IsFused(call) && call.Has(2); }

OPLEDGER_KERNEL(Conv, "cpu")
    .Types("T", OPLEDGER_VECTOR_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24")
    .Refuses("its channels are not last", &ConvolvesChannelsSecond)
    .Refuses("its bias is not fused", &ConvolvesWithBias)
    .By("vector")
    .Run(&PrepareVectorConv);

}  // namespace
}  // namespace opledger
