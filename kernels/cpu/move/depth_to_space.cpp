// DepthToSpace turns channels into blocks of pixels, and SpaceToDepth does the reverse: transposes
// of N, C, H, W in which the rows and columns of a block are separate dimensions.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/formulas/types.h"
#include "kernels/kernel/kernel.h"
#include "kernels/tensor/strided_copy.h"

namespace opledger {
namespace {

bool IsNoImageInBlocks(const Call& call) {
  const std::int64_t block = call.parameters.Integer("block", 0);
  return call.Input(0).Rank() != 4 || block < 1 || block > 1 << 15;
}

// `parts` is the input's shape with dimensions split; `order` has the part for each dimension of
// the output.
Prepared TransposeParts(const Call& call, const Dimensions& parts, const Dimensions& order,
                        Dimensions shape) {
  const Dimensions strides = Strides(parts);
  StridedCopy copy;
  for (const std::int64_t part : order) {
    copy.shape.push_back(parts[part]);
    copy.from.push_back(strides[part]);
  }
  copy.to = Strides(copy.shape);
  Prepared prepared;
  prepared.outputs = {{call.Input(0).dtype, std::move(shape)}};
  const std::size_t size = ElementSize(call.Input(0).dtype);
  prepared.run = [copy, size](const void* const* inputs, void* const* outputs, void*) {
    copy.Run(inputs[0], outputs[0], size);
  };
  return prepared;
}

// Parameters: block; channel_first: the places of one channel are adjacent ("CRD"), otherwise the
// channels of one place ("DCR").
Prepared PrepareDepthToSpace(const Call& call) {
  const Dimensions& in = call.Shape(0);
  const std::int64_t block = call.parameters.Integer("block", 1);
  if (in[1] % (block * block) != 0) return Refuse("its channels are not a multiple of the block");
  const std::int64_t channels = in[1] / (block * block);
  const Dimensions shape = {in[0], channels, in[2] * block, in[3] * block};
  if (call.parameters.Integer("channel_first", 0) != 0) {
    return TransposeParts(call, {in[0], channels, block, block, in[2], in[3]}, {0, 1, 4, 2, 5, 3},
                          shape);
  }
  return TransposeParts(call, {in[0], block, block, channels, in[2], in[3]}, {0, 3, 4, 1, 5, 2},
                        shape);
}

// Parameters: block; channel_first, as for DepthToSpace.
Prepared PrepareSpaceToDepth(const Call& call) {
  const Dimensions& in = call.Shape(0);
  const std::int64_t block = call.parameters.Integer("block", 1);
  if (in[2] % block != 0 || in[3] % block != 0)
    return Refuse("its height or width is not a multiple of the block");
  const std::int64_t rows = in[2] / block;
  const std::int64_t columns = in[3] / block;
  const bool channel_first = call.parameters.Integer("channel_first", 0) != 0;
  const Dimensions order =
      channel_first ? Dimensions{0, 1, 3, 5, 2, 4} : Dimensions{0, 3, 5, 1, 2, 4};
  return TransposeParts(call, {in[0], in[1], rows, block, columns, block}, order,
                        {in[0], in[1] * block * block, rows, columns});
}

OPLEDGER_KERNEL(DepthToSpace, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("block")
    .Reads("channel_first")
    .Refuses("its input is not N, C, H, W, or its block size is invalid", &IsNoImageInBlocks)
    .Rounds(Rounding::kNone)
    .Run(&PrepareDepthToSpace);
OPLEDGER_KERNEL(SpaceToDepth, "cpu")
    .Types("T", OPLEDGER_ANY)
    .ErrorBound("exact")
    .Reads("block")
    .Reads("channel_first")
    .Refuses("its input is not N, C, H, W, or its block size is invalid", &IsNoImageInBlocks)
    .Rounds(Rounding::kNone)
    .Run(&PrepareSpaceToDepth);

}  // namespace
}  // namespace opledger
