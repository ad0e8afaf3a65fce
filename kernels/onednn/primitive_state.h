// What a primitive holds; and the library's header, which only the files of this folder include.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <dnnl.hpp>
#include <vector>

#include "kernels/onednn/primitive.h"
#include "kernels/tensor/constant_tensor.h"

namespace opledger::onednn {

struct Primitive::State {
  struct Slot {
    dnnl::memory::desc given;     // as the caller has it
    dnnl::memory::desc computed;  // as the primitive takes it
    dnnl::memory memory;
    bool fixed = false;
    ConstantTensor packed = {};  // of a fixed one, what `memory` has
  };
  using Operations = std::array<int, kArguments>;  // numbers of post-operations

  dnnl::primitive primitive;
  std::array<Slot, kArguments> slots;
  std::vector<Argument> taken;
  std::vector<dnnl_exec_arg_t> numbers;  // as oneDNN takes them, of each in `taken`
  std::size_t scratchpad = 0;
  std::size_t work = 0;  // multiplications of a run
  std::string implementation;

  void Take(Argument argument, const dnnl::memory::desc& as_given,
            const dnnl::memory::desc& as_computed);
  void Finish(dnnl::primitive made, const Operations& operations);
};
using State = Primitive::State;

dnnl::engine& Engine();

// float32, or 16 bits.
inline dnnl::memory::data_type TypeOf(Dtype dtype) {
  using Type = dnnl::memory::data_type;
  return dtype == Dtype::kBfloat16 ? Type::bf16 : dtype == Dtype::kFloat16 ? Type::f16 : Type::f32;
}

// The attributes of an epilogue; the scratchpad is the caller's. Sets the numbers of its
// operations.
dnnl::primitive_attr AttributesOf(const Epilogue& epilogue, const dnnl::memory::desc& addend,
                                  const dnnl::memory::desc& per_channel,
                                  State::Operations& operations);

// What a primitive's tensors look like as the caller has them.
struct Tensors {
  dnnl::memory::desc source;
  dnnl::memory::desc weights;
  dnnl::memory::desc bias;
  dnnl::memory::desc result;
  dnnl::memory::desc addend;
  dnnl::memory::desc per_channel;
};

// A primitive by its description in oneDNN's terms, with all its arguments.
template <typename Operation, typename Description>
std::shared_ptr<Primitive> Assemble(const Description& made, const Tensors& tensors, bool biased,
                                    const Epilogue& epilogue, const State::Operations& operations,
                                    std::size_t work) {
  auto primitive = std::make_shared<Primitive>();
  State& state = *primitive->state;
  state.work = work;
  state.Take(kSource, tensors.source, tensors.source);
  state.Take(kWeights, tensors.weights, made.weights_desc());
  if (biased) state.Take(kBias, tensors.bias, tensors.bias);
  state.Take(kResult, tensors.result, tensors.result);
  if (epilogue.scales) {
    state.Take(kScale, tensors.per_channel, tensors.per_channel);
    state.Take(kShift, tensors.per_channel, tensors.per_channel);
  }
  if (epilogue.adds) state.Take(kAddend, tensors.addend, tensors.addend);
  const dnnl::memory::desc scratchpad = made.scratchpad_desc();
  state.scratchpad = scratchpad.get_size();
  if (state.scratchpad != 0) state.Take(kScratchpad, scratchpad, scratchpad);
  state.implementation = made.impl_info_str();
  state.Finish(Operation(made), operations);
  return primitive;
}

}  // namespace opledger::onednn
