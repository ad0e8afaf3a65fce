// What a primitive holds; and the library's header, which only the files of this folder include.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <dnnl.hpp>
#include <vector>

#include "kernels/onednn/primitive.h"

namespace opledger::onednn {

struct Primitive::State {
  struct Slot {
    dnnl::memory::desc given;     // as the caller has it
    dnnl::memory::desc computed;  // as the primitive takes it
    dnnl::memory memory;
    bool fixed = false;
  };
  using Operations = std::array<int, kArguments>;  // numbers of post-operations

  dnnl::primitive primitive;
  std::array<Slot, kArguments> slots;
  std::vector<Argument> taken;
  std::vector<dnnl_exec_arg_t> numbers;  // as oneDNN takes them, of each in `taken`
  std::size_t scratchpad = 0;
  std::string implementation;

  void Take(Argument argument, const dnnl::memory::desc& as_given,
            const dnnl::memory::desc& as_computed);
  void Finish(dnnl::primitive made, const Operations& operations);
};
using State = Primitive::State;

dnnl::engine& Engine();

// The attributes of an epilogue; the scratchpad is the caller's. Sets the numbers of its
// operations.
dnnl::primitive_attr AttributesOf(const Epilogue& epilogue, const dnnl::memory::desc& addend,
                                  const dnnl::memory::desc& per_channel,
                                  State::Operations& operations);

// Tells the state of the epilogue's tensors and of the scratchpad.
template <typename Description>
void TakeRest(State& state, const Epilogue& epilogue, const Description& made,
              const dnnl::memory::desc& addend, const dnnl::memory::desc& per_channel) {
  if (epilogue.scales) {
    state.Take(kScale, per_channel, per_channel);
    state.Take(kShift, per_channel, per_channel);
  }
  if (epilogue.adds) state.Take(kAddend, addend, addend);
  const dnnl::memory::desc scratchpad = made.scratchpad_desc();
  state.scratchpad = scratchpad.get_size();
  if (state.scratchpad != 0) state.Take(kScratchpad, scratchpad, scratchpad);
  state.implementation = made.impl_info_str();
}

}  // namespace opledger::onednn
