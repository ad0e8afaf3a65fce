// The state of a primitive, and oneDNN's header, which only this folder includes.
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
    dnnl::memory::desc given;     // the caller's layout
    dnnl::memory::desc computed;  // the primitive's layout
    dnnl::memory memory;
    bool fixed = false;
    ConstantTensor packed = {};  // the data of `memory` if the argument is fixed
  };
  using Operations = std::array<int, kArguments>;  // indices of post-operations

  dnnl::primitive primitive;
  std::array<Slot, kArguments> slots;
  std::vector<Argument> taken;
  std::vector<dnnl_exec_arg_t> numbers;  // oneDNN's indices of the arguments in `taken`
  std::size_t scratchpad = 0;
  std::size_t work = 0;  // multiplications per run
  std::string implementation;

  void Take(Argument argument, const dnnl::memory::desc& as_given,
            const dnnl::memory::desc& as_computed);
  void Finish(dnnl::primitive made, const Operations& operations);
};
using State = Primitive::State;

dnnl::engine& Engine();

// Requires float32 or a 16-bit float.
inline dnnl::memory::data_type TypeOf(Dtype dtype) {
  using Type = dnnl::memory::data_type;
  return dtype == Dtype::kBfloat16 ? Type::bf16 : dtype == Dtype::kFloat16 ? Type::f16 : Type::f32;
}

// Returns the attributes for an epilogue, with a scratchpad from the caller. Sets the indices of
// its post-operations.
dnnl::primitive_attr AttributesOf(const Epilogue& epilogue, const dnnl::memory::desc& addend,
                                  const dnnl::memory::desc& per_channel,
                                  State::Operations& operations);

// The caller's layouts of a primitive's tensors.
struct Tensors {
  dnnl::memory::desc source;
  dnnl::memory::desc weights;
  dnnl::memory::desc bias;
  dnnl::memory::desc result;
  dnnl::memory::desc addend;
  dnnl::memory::desc per_channel;
};

// Makes a primitive from oneDNN's description, with all its arguments.
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
