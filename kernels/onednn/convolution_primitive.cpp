// Makes primitives of convolutions with one to three spatial dimensions, channels last.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/parallel.h"
#include "kernels/onednn/onednn_versions.h"
#include "kernels/onednn/primitive_state.h"

namespace opledger::onednn {
namespace {

using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

template <typename Operation>
typename Operation::primitive_desc DescribeAs(dnnl::algorithm algorithm, const Convolution& shape,
                                              const Tensors& tensors,
                                              const dnnl::memory::desc& weights,
                                              const dnnl::primitive_attr& attributes) {
  dnnl::memory::dims dilations = shape.dilations;
  for (auto& dilation : dilations) --dilation;  // oneDNN counts from 0
  return Describe<Operation>(Engine(), attributes, dnnl::prop_kind::forward_inference, algorithm,
                             tensors.source, weights,
                             shape.biased ? tensors.bias : dnnl::memory::desc(), tensors.result,
                             shape.strides, dilations, shape.begin, shape.end);
}

// The implementation by matrix products adds a tensor incorrectly (2.6.3) with groups and with pads
// of 4 and more: seen by tests/kernels/fast_kernels_test.cpp without AVX-512. It is slow for single
// channels.
bool IsUnfit(std::string_view implementation, const Convolution& shape) {
  const bool by_products = implementation.find("gemm:") != std::string_view::npos;
  return by_products &&
         (shape.epilogue.adds || (shape.groups != 1 && shape.inputs == shape.groups));
}

}  // namespace

std::shared_ptr<Primitive> MakeConvolution(const Convolution& shape) {
  static constexpr Tag kChannelsLast[] = {Tag::nwc, Tag::nhwc, Tag::ndhwc};
  static constexpr Tag kOrders[] = {Tag::oiw, Tag::oihw, Tag::oidhw};
  static constexpr Tag kGrouped[] = {Tag::goiw, Tag::goihw, Tag::goidhw};
  static constexpr Tag kTransposed[] = {Tag::bac, Tag::bacd, Tag::bacde};
  const std::size_t rank = shape.input.size();
  if (rank < 1 || rank > 3) return nullptr;
  const Type type = TypeOf(shape.dtype);
  const auto with = [](dnnl::memory::dims first, const Dimensions& rest) {
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
  };
  const Tag last = kChannelsLast[rank - 1];
  const auto sizes_in = with({shape.images, shape.inputs}, shape.input);
  const dnnl::memory::desc source(sizes_in, type, last);
  const auto sizes_out = with({shape.images, shape.outputs}, shape.result);
  const dnnl::memory::desc addend(sizes_out, type, last);
  const Type to = TypeOf(shape.result_dtype);
  const dnnl::memory::desc result(sizes_out, to, last);
  const std::int64_t inputs = shape.inputs / shape.groups;
  const bool grouped = shape.groups != 1;
  const dnnl::memory::dims sizes =
      grouped ? with({shape.groups, shape.outputs / shape.groups, inputs}, shape.window)
              : with({shape.outputs, inputs}, shape.window);
  const Tag* const orders = shape.transposed ? kTransposed : grouped ? kGrouped : kOrders;
  const dnnl::memory::desc weights(sizes, type, orders[rank - 1]);
  const dnnl::memory::desc packed(sizes, type, Tag::any);
  const dnnl::memory::desc bias({shape.outputs}, Type::f32, Tag::a);
  const dnnl::memory::desc per_channel(with({1, shape.outputs}, Dimensions(rank, 1)), Type::f32,
                                       last);
  const std::size_t work = Elements(shape.transposed ? sizes_in : sizes_out) *
                           static_cast<std::size_t>(shape.transposed ? shape.outputs : inputs) *
                           Elements(shape.window);
  const OpenMpThreads threads(work);
  try {
    State::Operations operations{};
    const auto attributes = AttributesOf(shape.epilogue, addend, per_channel, operations);
    const Tensors tensors = {source, weights, bias, result, addend, per_channel};
    if (shape.transposed) {
      const auto made = DescribeAs<dnnl::deconvolution_forward>(
          dnnl::algorithm::deconvolution_direct, shape, tensors, packed, attributes);
      if (IsUnfit(made.impl_info_str(), shape)) return nullptr;
      return Assemble<dnnl::deconvolution_forward>(made, tensors, shape.biased, shape.epilogue,
                                                   operations, work);
    }
    const auto made = DescribeAs<dnnl::convolution_forward>(dnnl::algorithm::convolution_direct,
                                                            shape, tensors, packed, attributes);
    if (IsUnfit(made.impl_info_str(), shape)) return nullptr;
    return Assemble<dnnl::convolution_forward>(made, tensors, shape.biased, shape.epilogue,
                                               operations, work);
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

}  // namespace opledger::onednn
