// What a loop keeps while it runs: each carried value twice, the slices of the step, its number and
// whether it goes on, all in the memory that the outer plan lends it. The body writes what it hands
// on where the next step reads it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/control_flow/inner_graph.h"
#include "kernels/control_flow/loop.h"
#include "kernels/tensor/strided_copy.h"

namespace opledger {

// What a node is given from outside; none: it is left out, or `input` is -1.
const std::optional<GivenValue>& OuterValue(const OuterValues& outer, int input);

// The outputs of the body that are carried, which PlanInnerGraph is to place.
std::vector<std::size_t> CarriedOutputs(const ControlFlow& flow);

struct LoopMemory {
  std::vector<TensorPart> slices;  // as ControlFlow::slices
  std::vector<TensorType> slice_types;
  std::vector<TensorPart> stacks;       // as ControlFlow::stacked
  std::vector<TensorType> stack_types;  // of all steps together

  // All slices. `steps`, where they are known, are as many as each has; where not, they are then.
  // False, with a problem.
  bool TakeSlices(const ControlFlow& flow, const OuterValues& outer,
                  std::optional<std::int64_t>& steps, Status& problem);
  // The next of ControlFlow::stacked, of which each step gives a `part`. False, with a problem.
  bool AddStack(TensorType part, std::int64_t axis, std::optional<std::int64_t> steps,
                Status& problem);

  // Reserves its memory after the `arena` of the inner graphs; `carried_bytes` are the largest that
  // each carried value has. Returns the bytes of all of it.
  std::size_t Reserve(std::size_t arena, const std::vector<std::size_t>& carried_bytes);

  void Begin(const ControlFlow& flow, const void* const* inputs, std::byte* workspace);
  // Has the body of a step write what it hands on beside what it reads.
  void PlaceCarried(InnerRun& body, std::byte* workspace, std::int64_t step) const;
  // Of `steps` in all, which only what goes backwards needs.
  void RunInner(InnerRun& inner, const ControlFlow& flow, const void* const* inputs,
                std::byte* workspace, std::int64_t step, std::int64_t steps);
  // What a step stacks, and what it hands on to the next.
  void Stack(const InnerRun& body, const ControlFlow& flow, void* const* outputs, std::int64_t step,
             std::int64_t steps) const;
  void HandOn(const InnerRun& body, const ControlFlow& flow, std::byte* workspace,
              std::int64_t step);
  // `bytes` of each carried value as the last step left it.
  void Finish(const ControlFlow& flow, const std::vector<std::size_t>& bytes,
              void* const* outputs) const;

 private:
  std::byte* Buffer(std::size_t carried, std::byte* workspace, std::int64_t step) const;
  const void* SourceOf(const InnerInput& input, const ControlFlow& flow, const void* const* inputs,
                       std::byte* workspace, std::int64_t step, std::int64_t steps) const;

  std::vector<const void*> now_;              // of each carried value
  std::vector<std::size_t> carried_offsets_;  // of two buffers each
  std::vector<std::size_t> slice_offsets_;
  std::size_t iteration_offset_ = 0;
  std::size_t condition_offset_ = 0;
};

}  // namespace opledger
