// Convolutions with channels last: builds the matrix of taps for some images at a time and
// multiplies it by the weights. Grouped convolutions need no matrix; for windows of one pixel, the
// image is the matrix.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "kernels/cuda/chain/strided_layout.h"
#include "kernels/cuda/kernels/contraction.h"
#include "kernels/cuda/kernels/kernels.h"
#include "kernels/cuda/kernels/windows.h"
#include "kernels/kernel/fused_call.h"
#include "kernels/tensor/constant_tensor.h"

namespace opledger::cuda {
namespace {

constexpr std::size_t kMaxColumns = std::size_t{256} << 20;  // bytes of the matrix of taps

struct ConvolutionShape {
  WindowShape window = {};
  std::int64_t groups = 1;
  std::int64_t out_channels = 0;
  std::int32_t type = kF32;
  std::int64_t images_at_once = 1;
  std::shared_ptr<DeviceConstant> weights;  // channels out, taps, channels in; nullptr: input 1

  std::int64_t Taps() const { return window.kernel[0] * window.kernel[1]; }
  std::int64_t Pixels() const { return window.out[0] * window.out[1]; }
  bool IsItsOwnMatrix() const {
    const auto one = [](const std::int64_t* each) { return each[0] == 1 && each[1] == 1; };
    const auto none = [](const std::int64_t* each) { return each[0] == 0 && each[1] == 0; };
    return Taps() == 1 && one(window.stride) && none(window.begin) && none(window.end);
  }
};

// Moves input channels after taps, unless there is only one of either.
std::shared_ptr<DeviceConstant> TransposedWeights(const Call& call, const ConvolutionShape& shape) {
  const std::size_t size = ElementSize(call.Input(1).dtype);
  const auto taps = static_cast<std::size_t>(shape.Taps());
  const auto inputs = static_cast<std::size_t>(shape.window.channels / shape.groups);
  const auto* from = static_cast<const std::byte*>(call.constants[1]);
  std::vector<std::byte> to(Bytes(call.Input(1)));
  for (std::size_t o = 0; o < static_cast<std::size_t>(shape.out_channels); ++o) {
    for (std::size_t i = 0; i < inputs; ++i) {
      for (std::size_t tap = 0; tap < taps; ++tap) {
        std::memcpy(to.data() + ((o * taps + tap) * inputs + i) * size,
                    from + ((o * inputs + i) * taps + tap) * size, size);
      }
    }
  }
  return std::make_shared<DeviceConstant>(std::move(to));
}

void RunGroups(const ConvolutionShape& shape, const Product& product, const void* in,
               const void* weights, void* out) {
  GroupedCall call = {};
  call.type = shape.type;
  call.out_type = product.out_type;
  call.window = shape.window;
  call.groups = shape.groups;
  call.out_channels = shape.out_channels;
  call.in = in;
  call.weights = weights;
  call.out = out;
  Report(Module().grouped(&call));
}

void RunMatrices(const ConvolutionShape& shape, const Product& product, const void* in,
                 const void* weights, void* out, std::byte* workspace) {
  const WindowShape& window = shape.window;
  const std::size_t out_size = product.out_type == kF32 ? 4 : 2;
  for (std::int64_t first = 0; first < window.images; first += shape.images_at_once) {
    const std::int64_t count = std::min(shape.images_at_once, window.images - first);
    MatrixCall matrix = {};
    matrix.a = in;
    if (!shape.IsItsOwnMatrix()) {
      ColumnsCall columns = {};
      columns.type = shape.type;
      columns.window = window;
      columns.first_image = first;
      columns.image_count = count;
      columns.in = in;
      columns.out = workspace + kMatrixWorkspace;
      Report(Module().columns(&columns));
      matrix.a = columns.out;
    }
    matrix.type = shape.type;
    matrix.out_type = product.out_type;
    matrix.rows = count * shape.Pixels();
    matrix.inner = shape.Taps() * window.channels;
    matrix.columns = shape.out_channels;
    matrix.batch = 1;
    matrix.transpose_b = 1;
    matrix.epilogue = product.epilogue;
    matrix.bias = product.bias;
    matrix.b = weights;
    matrix.out = static_cast<std::byte*>(out) + static_cast<std::size_t>(first * shape.Pixels()) *
                                                    static_cast<std::size_t>(shape.out_channels) *
                                                    out_size;
    matrix.workspace = workspace;
    matrix.workspace_size = kMatrixWorkspace;
    Report(Module().multiply(&matrix));
  }
}

// Returns the workspace in bytes, and sets how many images fit into it.
std::size_t WorkspaceOf(ConvolutionShape& shape) {
  if (shape.groups > 1) return 0;
  shape.images_at_once = std::max<std::int64_t>(shape.window.images, 1);
  if (shape.IsItsOwnMatrix()) return kMatrixWorkspace;
  const std::size_t size = shape.type == kF32 ? 4 : 2;
  const std::size_t image = static_cast<std::size_t>(shape.Pixels() * shape.Taps()) *
                            static_cast<std::size_t>(shape.window.channels) * size;
  const std::size_t fit = std::max<std::size_t>(kMaxColumns / std::max<std::size_t>(image, 1), 1);
  shape.images_at_once = std::min(shape.images_at_once, static_cast<std::int64_t>(fit));
  return kMatrixWorkspace + image * static_cast<std::size_t>(shape.images_at_once);
}

// Inputs: x, weights, bias (optional). Parameters: groups and a window.
Prepared PrepareConv(const Call& call) {
  const ChosenKernel reference = ChooseKernel("Conv", call, {true});
  if (reference.entry == nullptr) return reference.prepared;
  if (!IsFused(call) && call.Has(2)) return Refuse("its bias is computed at run time");
  ConvolutionShape shape;
  const auto window = ReadWindowShape(call, false);
  if (!window) return Refuse(window.status());
  shape.window = *window;
  shape.groups = call.parameters.Integer("groups", 1);
  shape.out_channels = call.Shape(1)[0];
  shape.type = *ElementTypeOf(call.Input(0).dtype);
  const bool transposes = shape.Taps() > 1 && shape.window.channels > shape.groups;
  if (transposes && call.constants[1] == nullptr) {
    return Refuse("its weights are computed at run time");
  }
  if (shape.Taps() * shape.window.channels == 0) return Refuse("its sums are empty");
  if (transposes) shape.weights = TransposedWeights(call, shape);
  const std::size_t workspace = WorkspaceOf(shape);
  const TensorType& result = reference.prepared.outputs[0];
  Prepared prepared = FinishContraction(
      call, result, result.Rank() - 1, workspace, shape.groups == 1,
      [shape](const Product& product, const void* const* inputs, void* out, std::byte* memory) {
        const void* weights = shape.weights != nullptr ? shape.weights->Data() : inputs[1];
        if (shape.groups > 1) return RunGroups(shape, product, inputs[0], weights, out);
        RunMatrices(shape, product, inputs[0], weights, out, memory);
      });
  if (transposes && prepared.refusal.ok()) prepared.unread_inputs = {1};
  return prepared;
}

OPLEDGER_KERNEL(Conv, "cuda")
    .Types("T", OPLEDGER_CUDA_FLOATS)
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + k * 2^-24")
    .Run(&PrepareConv);

}  // namespace
}  // namespace opledger::cuda
