// Carried values alternate between two buffers, so that none is overwritten while it is read.
// Values that the body computes are written there directly; others are copied.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/control_flow/loop_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/kernel/step_problem.h"

namespace opledger {

const std::optional<GivenValue>& OuterValue(const OuterValues& outer, int input) {
  static const std::optional<GivenValue> kNothing;
  const bool is = input >= 0 && static_cast<std::size_t>(input) < outer.size();
  return is ? outer[static_cast<std::size_t>(input)] : kNothing;
}

std::vector<std::size_t> CarriedOutputs(const ControlFlow& flow) {
  std::vector<std::size_t> outputs;
  for (const ControlFlow::Carried& each : flow.carried) {
    outputs.push_back(static_cast<std::size_t>(each.body_output));
  }
  return outputs;
}

bool LoopMemory::TakeSlices(const ControlFlow& flow, const OuterValues& outer,
                            std::optional<std::int64_t>& steps, Status& problem) {
  for (const ControlFlow::Sliced& slice : flow.slices) {
    const auto& whole = OuterValue(outer, slice.input);
    const auto axis = whole ? AxisWithin(slice.axis, whole->type.Rank()) : std::nullopt;
    if (!axis) {
      problem = "its axis is out of range";
      return false;
    }
    const std::int64_t parts = whole->type.dimensions[static_cast<std::size_t>(*axis)];
    if (steps && *steps != parts) {
      problem = "its inputs have different numbers of steps";
      return false;
    }
    steps = parts;
    slices.push_back(PartAlong(whole->type, *axis, true));
    slice_types.push_back({whole->type.dtype, WithoutAxis(whole->type.dimensions, *axis)});
  }
  return true;
}

bool LoopMemory::AddStack(TensorType part, std::int64_t axis, std::optional<std::int64_t> steps,
                          Status& problem) {
  const auto within = AxisWithin(axis, part.Rank() + 1);
  if (!within || !steps) {
    problem = within ? NeedsValues("its number of steps is known only at run time")
                     : "the axis of its outputs is out of range";
    return false;
  }
  TensorType whole = std::move(part);
  whole.dimensions.insert(whole.dimensions.begin() + *within, *steps);
  if (!CheckSize(whole)) {
    problem = OutputProblem(whole);
    return false;
  }
  stacks.push_back(PartAlong(whole, *within, false));
  stack_types.push_back(std::move(whole));
  return true;
}

std::size_t LoopMemory::Reserve(std::size_t arena, const std::vector<std::size_t>& carried_bytes) {
  std::size_t end = arena;
  const auto place = [&](std::size_t bytes) {
    const std::size_t at = end;
    end += AlignedSize(std::max<std::size_t>(bytes, 1));
    return at;
  };
  for (const std::size_t bytes : carried_bytes) {
    carried_offsets_.push_back(place(bytes));
    carried_offsets_.push_back(place(bytes));
  }
  for (const TensorPart& slice : slices) slice_offsets_.push_back(place(slice.Bytes()));
  iteration_offset_ = place(sizeof(std::int64_t));
  condition_offset_ = place(1);
  now_.resize(carried_bytes.size());
  return end;
}

void LoopMemory::Begin(const ControlFlow& flow, const void* const* inputs, std::byte* workspace) {
  for (std::size_t i = 0; i < now_.size(); ++i) now_[i] = inputs[flow.carried[i].input];
  workspace[condition_offset_] = std::byte{1};
}

std::byte* LoopMemory::Buffer(std::size_t carried, std::byte* workspace, std::int64_t step) const {
  return workspace + carried_offsets_[2 * carried + static_cast<std::size_t>(step % 2)];
}

void LoopMemory::PlaceCarried(InnerRun& body, std::byte* workspace, std::int64_t step) const {
  for (std::size_t i = 0; i < now_.size(); ++i) {
    if (body.placed[i] == kNone) continue;
    body.executor->Place(body.placed[i], Buffer(i, workspace, step));
  }
}

const void* LoopMemory::SourceOf(const InnerInput& input, const ControlFlow& flow,
                                 const void* const* inputs, std::byte* workspace, std::int64_t step,
                                 std::int64_t steps) const {
  switch (input.from) {
    case InnerInput::From::kOuter:
      return inputs[input.index];
    case InnerInput::From::kIteration:
      return workspace + iteration_offset_;
    case InnerInput::From::kCondition:
      return workspace + condition_offset_;
    case InnerInput::From::kCarried:
      return now_[input.index];
    case InnerInput::From::kSlice:
      break;
  }
  const ControlFlow::Sliced& slice = flow.slices[input.index];
  std::byte* buffer = workspace + slice_offsets_[input.index];
  slices[input.index].Read(inputs[slice.input], slice.reverse ? steps - 1 - step : step, buffer);
  return buffer;
}

void LoopMemory::RunInner(InnerRun& inner, const ControlFlow& flow, const void* const* inputs,
                          std::byte* workspace, std::int64_t step, std::int64_t steps) {
  std::memcpy(workspace + iteration_offset_, &step, sizeof step);
  for (std::size_t i = 0; i < inner.sources.size(); ++i) {
    inner.data[i] = SourceOf(inner.sources[i], flow, inputs, workspace, step, steps);
  }
  inner.executor->UseArena(workspace);
  inner.executor->Run(inner.data);
  if (inner.executor->status().ok()) return;
  ReportStepProblem(inner.executor->status());
}

void LoopMemory::Stack(const InnerRun& body, const ControlFlow& flow, void* const* outputs,
                       std::int64_t step, std::int64_t steps) const {
  for (std::size_t i = 0; i < flow.results.size(); ++i) {
    const ControlFlow::Result& result = flow.results[i];
    if (!result.stacked || outputs[i] == nullptr) continue;
    const ControlFlow::Stacked& stack = flow.stacked[result.index];
    stacks[result.index].Write(body.Output(static_cast<std::size_t>(stack.body_output)), outputs[i],
                               stack.reverse ? steps - 1 - step : step);
  }
}

void LoopMemory::HandOn(const InnerRun& body, const ControlFlow& flow, std::byte* workspace,
                        std::int64_t step) {
  for (std::size_t i = 0; i < now_.size(); ++i) {
    if (body.placed[i] != kNone) continue;  // already there
    const auto output = static_cast<std::size_t>(flow.carried[i].body_output);
    std::memcpy(Buffer(i, workspace, step), body.Output(output), Bytes(body.OutputType(output)));
  }
  // An output may be an input, so copy all before changing any.
  for (std::size_t i = 0; i < now_.size(); ++i) now_[i] = Buffer(i, workspace, step);
}

void LoopMemory::Finish(const ControlFlow& flow, const std::vector<std::size_t>& bytes,
                        void* const* outputs) const {
  for (std::size_t i = 0; i < flow.results.size(); ++i) {
    const ControlFlow::Result& result = flow.results[i];
    if (result.stacked || result.input >= 0 || outputs[i] == nullptr) continue;
    std::memcpy(outputs[i], now_[result.index], bytes[result.index]);
  }
}

}  // namespace opledger
