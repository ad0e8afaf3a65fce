// Translates epilogues to oneDNN's post-operations.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/onednn/onednn_versions.h"
#include "kernels/onednn/primitive_state.h"

namespace opledger::onednn {
namespace {

void AppendActivation(const Epilogue& epilogue, dnnl::post_ops& operations) {
  const auto append = [&](dnnl::algorithm algorithm, float alpha, float beta) {
    AppendElementwise(operations, algorithm, alpha, beta);
  };
  if (epilogue.activation == "Relu") append(dnnl::algorithm::eltwise_relu, 0, 0);
  if (epilogue.activation == "LeakyRelu") append(dnnl::algorithm::eltwise_relu, epilogue.alpha, 0);
  if (epilogue.activation == "Clip") {
    append(dnnl::algorithm::eltwise_clip, epilogue.alpha, epilogue.beta);
  }
}

}  // namespace

dnnl::primitive_attr AttributesOf(const Epilogue& epilogue, const dnnl::memory::desc& addend,
                                  const dnnl::memory::desc& per_channel,
                                  State::Operations& operations) {
  dnnl::post_ops post;
  if (epilogue.scales) {
    operations[kScale] = post.len();
    post.append_binary(dnnl::algorithm::binary_mul, per_channel);
    operations[kShift] = post.len();
    post.append_binary(dnnl::algorithm::binary_add, per_channel);
  }
  if (epilogue.adds) {
    operations[kAddend] = post.len();
    post.append_binary(dnnl::algorithm::binary_add, addend);
  }
  AppendActivation(epilogue, post);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_post_ops(post);
  return attributes;
}

}  // namespace opledger::onednn
