// Runs primitives. Memory objects are made once; a run sets their pointers and executes. Exceptions
// of oneDNN are caught here.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/onednn/primitive.h"

#include <oneapi/dnnl/dnnl_debug.h>

#include "kernels/machine/parallel.h"
#include "kernels/onednn/primitive_state.h"
#include "registry/platform/process_limits.h"
#include "registry/platform/sudden_end.h"
#include "registry/text/diagnostics.h"

namespace opledger::onednn {
namespace {

// oneDNN's index of an argument. `operations`: indices of the post-operations that take a tensor.
int NumberOf(Argument argument, const State::Operations& operations) {
  switch (argument) {
    case kSource:
      return DNNL_ARG_SRC;
    case kWeights:
      return DNNL_ARG_WEIGHTS;
    case kBias:
      return DNNL_ARG_BIAS;
    case kResult:
      return DNNL_ARG_DST;
    case kScratchpad:
      return DNNL_ARG_SCRATCHPAD;
    default:
      return DNNL_ARG_ATTR_MULTIPLE_POST_OP(operations[argument]) | DNNL_ARG_SRC_1;
  }
}

// oneDNN generates some kernels when they first run, so they may fail after planning succeeded.
[[noreturn]] void EndUnexecuted(const State& state, dnnl_status_t status) {
  if (status == dnnl_out_of_memory) EndWithoutMemory();
  Diagnostics diagnostics;
  diagnostics.Error(
      {}, "oneDNN could not execute " + state.implementation + ": " + dnnl_status2str(status),
      "oneDNN needs memory that it may make executable; "
      "raise the memory limit or allow such memory (SELinux: execmem)");
  EndSuddenly(RenderDiagnostics(diagnostics));
}

}  // namespace

dnnl::engine& Engine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

Primitive::Primitive() : state(std::make_unique<State>()) {}
Primitive::~Primitive() = default;

std::size_t Primitive::scratchpad() const { return state->scratchpad; }
std::string Primitive::implementation() const { return state->implementation; }

void State::Take(Argument argument, const dnnl::memory::desc& as_given,
                 const dnnl::memory::desc& as_computed) {
  slots[argument] = {as_given, as_computed, dnnl::memory(as_computed, Engine(), DNNL_MEMORY_NONE),
                     false};
  taken.push_back(argument);
}

void State::Finish(dnnl::primitive made, const Operations& operations) {
  primitive = std::move(made);
  for (const Argument argument : taken) {
    numbers.push_back({NumberOf(argument, operations), slots[argument].memory.get()});
  }
}

void Primitive::Fix(Argument argument, const void* data) {
  State::Slot& slot = state->slots[argument];
  const dnnl::memory given(slot.given, Engine(), const_cast<void*>(data));
  const std::size_t size = slot.computed.get_size();
  const TensorType type{Dtype::kUint8, {static_cast<std::int64_t>(size)}};
  ConstantTensor bytes(type);
  dnnl::memory packed(slot.computed, Engine(), bytes.data.get());
  dnnl::stream stream(Engine());
  dnnl::memory from = given;
  dnnl::memory to = packed;
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
  bytes.Share();
  packed.set_data_handle(bytes.data.get());
  slot.packed = std::move(bytes);
  slot.memory = packed;
  slot.fixed = true;
  for (std::size_t i = 0; i < state->taken.size(); ++i) {
    if (state->taken[i] == argument) state->numbers[i].memory = slot.memory.get();
  }
}

void Primitive::Run(const void* const (&arguments)[kArguments]) const {
  static thread_local dnnl::stream stream(Engine());
  const OpenMpThreads threads(state->work);
  for (const Argument argument : state->taken) {
    const State::Slot& slot = state->slots[argument];
    if (!slot.fixed) slot.memory.set_data_handle(const_cast<void*>(arguments[argument]));
  }
  const dnnl_status_t status =
      dnnl_primitive_execute(state->primitive.get(), stream.get(),
                             static_cast<int>(state->numbers.size()), state->numbers.data());
  if (status != dnnl_success) EndUnexecuted(*state, status);
  stream.wait();
}

std::string Version() {
  const dnnl_version_t* version = dnnl_version();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

}  // namespace opledger::onednn
