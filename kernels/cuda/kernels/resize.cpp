// Resize, one dimension at a time: nearest elements are gathered, other modes are sums in float32.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/image/resize.h"

#include <cstring>

#include "kernels/cuda/chain/chain.h"
#include "kernels/cuda/kernels/kernels.h"

namespace opledger::cuda {
namespace {

template <typename To, typename From>
std::shared_ptr<DeviceConstant> ConstantOf(const std::vector<From>& numbers) {
  std::vector<To> converted(numbers.begin(), numbers.end());
  std::vector<std::byte> bytes(converted.size() * sizeof(To));
  if (!bytes.empty()) std::memcpy(bytes.data(), converted.data(), bytes.size());
  return std::make_shared<DeviceConstant>(std::move(bytes));
}

// One dimension: indices into the input, and the weights of sums.
struct ResizePass {
  GatherCall gather = {};
  ResizeCall sum = {};
  std::shared_ptr<DeviceConstant> index;
  std::shared_ptr<DeviceConstant> weight;
};

ResizePass PassOf(const ResizedAxis& axis, bool nearest, std::size_t element) {
  const auto size = [](std::size_t each) { return static_cast<std::int64_t>(each); };
  ResizePass pass;
  pass.index = ConstantOf<std::int32_t>(axis.taps.index);
  if (nearest) {
    pass.gather.element = static_cast<std::int32_t>(element);
    pass.gather.index_type = kI32;
    pass.gather.outer = size(axis.outer);
    pass.gather.size = size(axis.in);
    pass.gather.inner = size(axis.inner);
    pass.gather.index_count = size(axis.taps.outputs);
    return pass;
  }
  pass.weight = ConstantOf<float>(axis.taps.weight);
  pass.sum.outer = size(axis.outer);
  pass.sum.in_size = size(axis.in);
  pass.sum.out_size = size(axis.taps.outputs);
  pass.sum.inner = size(axis.inner);
  pass.sum.taps = size(axis.taps.PerOutput());
  return pass;
}

void RunPass(const ResizePass& pass, ElementType from, ElementType to, const void* in, void* out) {
  if (pass.weight == nullptr) {
    GatherCall gather = pass.gather;
    gather.in = in;
    gather.indices = pass.index->Data();
    gather.out = out;
    return Report(Module().gather(&gather));
  }
  ResizeCall sum = pass.sum;
  sum.from = from;
  sum.to = to;
  sum.in = in;
  sum.out = out;
  sum.index = static_cast<const std::int32_t*>(pass.index->Data());
  sum.weight = static_cast<const float*>(pass.weight->Data());
  Report(Module().resize(&sum));
}

// Returns why the module cannot compute the call, or an empty string if it can.
std::string ResizeProblem(const ResizePlan& plan, bool nearest, Dtype dtype) {
  constexpr std::size_t kMaxIndex = 0x7fffffff;
  const auto type = ElementTypeOf(dtype);
  if (plan.axes.empty()) return "it changes nothing";
  if (!nearest && (!type || *type > kBf16))
    return "it interpolates elements that are not float32, float16 or bfloat16";
  for (const ResizedAxis& axis : plan.axes) {
    if (!axis.taps.outside.empty()) return "it crops its input";
    if (axis.in > kMaxIndex) return "its input is too large";
  }
  return {};
}

// Takes the parameters of the reference. The workspace has two tensors for results between passes.
Prepared PrepareResize(const Call& call) {
  const auto plan = ReadResize(call);
  if (!plan) return Refuse(plan.status());
  const Dtype dtype = call.Input(0).dtype;
  const bool nearest = call.parameters.Word("mode", "nearest") == "nearest";
  if (std::string problem = ResizeProblem(*plan, nearest, dtype); !problem.empty()) {
    return Refuse(problem);
  }
  std::vector<ResizePass> passes;
  for (const ResizedAxis& axis : plan->axes) {
    passes.push_back(PassOf(axis, nearest, ElementSize(dtype)));
  }
  constexpr std::size_t kLine = 256;
  const std::size_t between = plan->max * (nearest ? ElementSize(dtype) : sizeof(float));
  const std::size_t half = (between + kLine - 1) / kLine * kLine;
  const ElementType type = ElementTypeOf(dtype).value_or(kF32);
  Prepared prepared;
  prepared.outputs = {{dtype, plan->shape}};
  prepared.workspace = passes.size() > 1 ? 2 * half : 0;
  prepared.run = [passes, half, type](const void* const* inputs, void* const* outputs,
                                      void* workspace) {
    const void* from = inputs[0];
    for (std::size_t i = 0; i < passes.size(); ++i) {
      const bool is_last = i + 1 == passes.size();
      void* to = is_last ? outputs[0] : static_cast<std::byte*>(workspace) + i % 2 * half;
      RunPass(passes[i], i == 0 ? type : kF32, is_last ? type : kF32, from, to);
      from = to;
    }
  };
  return prepared;
}

OPLEDGER_KERNEL(Resize, "cuda")
    .Types("T", {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBfloat16, Dtype::kFloat64, Dtype::kInt8,
                 Dtype::kInt16, Dtype::kInt32, Dtype::kInt64, Dtype::kUint8, Dtype::kUint16,
                 Dtype::kUint32, Dtype::kUint64})
    .Accumulates(Dtype::kFloat32)
    .ErrorBound("0.5 ulp + n * 2^-24")
    .Run(&PrepareResize);

}  // namespace
}  // namespace opledger::cuda
