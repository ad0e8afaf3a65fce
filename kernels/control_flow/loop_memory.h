// The memory of a running loop, lent by the outer plan: two buffers for each carried value, the
// slices of the step, its index and its condition. The body writes carried values where the next
// step reads them.
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

// What a node is given from outside; nullopt if it is left out or `input` is -1.
const std::optional<GivenValue>& OuterValue(const OuterValues& outer, int input);

// Returns the body's outputs that are carried, for PlanInnerGraph to place.
std::vector<std::size_t> CarriedOutputs(const ControlFlow& flow);

struct LoopMemory {
  std::vector<TensorPart> slices;  // as ControlFlow::slices
  std::vector<TensorType> slice_types;
  std::vector<TensorPart> stacks;       // as ControlFlow::stacked
  std::vector<TensorType> stack_types;  // for all steps together

  // Takes all slices. If `steps` is known, each slice must have as many; otherwise it is set.
  // Returns false, with a problem, on failure.
  bool TakeSlices(const ControlFlow& flow, const OuterValues& outer,
                  std::optional<std::int64_t>& steps, Status& problem);
  // Adds the next of ControlFlow::stacked; each step produces a `part`. Returns false, with a
  // problem, on failure.
  bool AddStack(TensorType part, std::int64_t axis, std::optional<std::int64_t> steps,
                Status& problem);

  // Reserves memory after the inner graphs' `arena`; `carried_bytes`: the largest size of each
  // carried value. Returns the total bytes.
  std::size_t Reserve(std::size_t arena, const std::vector<std::size_t>& carried_bytes);

  void Begin(const ControlFlow& flow, const void* const* inputs, std::byte* workspace);
  // Makes the body of a step write carried values to the buffers that it does not read.
  void PlaceCarried(InnerRun& body, std::byte* workspace, std::int64_t step) const;
  // Runs one step. `steps`, the total, is used only for slices taken backwards.
  void RunInner(InnerRun& inner, const ControlFlow& flow, const void* const* inputs,
                std::byte* workspace, std::int64_t step, std::int64_t steps);
  // Stack copies a step's results to the stacked outputs; HandOn passes carried values to the next
  // step.
  void Stack(const InnerRun& body, const ControlFlow& flow, void* const* outputs, std::int64_t step,
             std::int64_t steps) const;
  void HandOn(const InnerRun& body, const ControlFlow& flow, std::byte* workspace,
              std::int64_t step);
  // Copies `bytes` of each carried value, as the last step left it, to the outputs.
  void Finish(const ControlFlow& flow, const std::vector<std::size_t>& bytes,
              void* const* outputs) const;

 private:
  std::byte* Buffer(std::size_t carried, std::byte* workspace, std::int64_t step) const;
  const void* SourceOf(const InnerInput& input, const ControlFlow& flow, const void* const* inputs,
                       std::byte* workspace, std::int64_t step, std::int64_t steps) const;

  std::vector<const void*> now_;              // current address of each carried value
  std::vector<std::size_t> carried_offsets_;  // each for two buffers
  std::vector<std::size_t> slice_offsets_;
  std::size_t iteration_offset_ = 0;
  std::size_t condition_offset_ = 0;
};

}  // namespace opledger
