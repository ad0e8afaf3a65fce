// Assigns offsets in the arena by size: the largest values first, each at the lowest offset that is
// free during its lifetime. Element-wise steps overwrite an input that they read last.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "kernels/plan/passes.h"

namespace opledger {
namespace {

// A part of the arena, and the range of steps that need it.
struct Piece {
  std::size_t bytes = 0;
  std::size_t* offset = nullptr;
  std::size_t first = 0;
  std::size_t last = 0;
};

// Returns the lowest offset that does not overlap pieces of `placed` with an overlapping lifetime.
std::size_t FreePlace(const Piece& piece, const std::vector<const Piece*>& placed) {
  std::size_t at = 0;
  for (const Piece* other : placed) {  // sorted by offset
    if (other->last < piece.first || piece.last < other->first) continue;
    if (at + piece.bytes <= *other->offset) break;
    at = std::max(at, *other->offset + other->bytes);
  }
  return at;
}

// Returns the root that a step may overwrite, since it reads it for the last time, or kNone if
// there is none.
ValueId Overwritten(const ExecutionPlan& plan, const std::vector<Piece>& lives, std::size_t at) {
  const PlannedStep& step = plan.steps[at];
  if (step.launch == nullptr || step.outputs.size() != 1) return kNone;
  const ValueId result = step.outputs[0];
  if (result == kNone || lives[result].offset == nullptr) return kNone;
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    if (step.inputs[i] == kNone || !step.launch->MayOverwrite(i)) continue;
    const ValueId root = plan.Root(step.inputs[i]);
    const bool ends = lives[root].offset != nullptr && lives[root].last == at;
    if (ends && lives[root].bytes == lives[result].bytes) return root;
  }
  return kNone;
}

// For each value the first one of those that successively share its memory, or itself.
std::vector<ValueId> Overwrite(const ExecutionPlan& plan, std::vector<Piece>& lives) {
  std::vector<ValueId> first(lives.size());
  std::iota(first.begin(), first.end(), ValueId{0});
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const ValueId read = Overwritten(plan, lives, i);
    if (read == kNone) continue;
    const ValueId result = plan.steps[i].outputs[0];
    first[result] = first[read];
    lives[first[read]].last = lives[result].last;
  }
  return first;
}

// Pieces of the values in the arena, by root.
std::vector<Piece> Lives(ExecutionPlan& plan, bool device) {
  std::vector<Piece> lives(plan.slots.size());
  const std::size_t end = plan.steps.size();
  const auto touch = [&](ValueId value, std::size_t step) {
    if (value == kNone) return;
    const ValueId root = plan.Root(value);
    Slot& slot = plan.slots[root];
    if (slot.place != Slot::Place::kArena || slot.on_device != device) return;
    Piece& piece = lives[root];
    if (piece.offset == nullptr) {
      piece = {AlignedSize(std::max<std::size_t>(Bytes(*slot.type), 1)), &slot.offset, step, step};
    }
    piece.last = std::max(piece.last, step);
  };
  for (std::size_t i = 0; i < end; ++i) {
    for (const ValueId output : plan.steps[i].outputs) touch(output, i);
    for (const ValueId input : plan.steps[i].inputs) touch(input, i);
  }
  for (const ValueId output : plan.outputs) touch(output, end);
  return lives;
}

// Assigns all offsets. Returns the size in bytes.
std::size_t PlaceAll(std::vector<Piece> pieces) {
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.bytes > b.bytes; });
  std::vector<const Piece*> placed;
  std::size_t end = 0;
  for (const Piece& piece : pieces) {
    *piece.offset = FreePlace(piece, placed);
    end = std::max(end, *piece.offset + piece.bytes);
    const auto behind =
        std::upper_bound(placed.begin(), placed.end(), &piece,
                         [](const Piece* a, const Piece* b) { return *a->offset < *b->offset; });
    placed.insert(behind, &piece);
  }
  return end;
}

// Assigns offsets in the memory of the device or the CPU. Returns the size in bytes.
std::size_t PlaceSide(ExecutionPlan& plan, bool device) {
  std::vector<Piece> lives = Lives(plan, device);
  const std::vector<ValueId> first = Overwrite(plan, lives);
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < lives.size(); ++i) {
    if (lives[i].offset != nullptr && first[i] == static_cast<ValueId>(i)) {
      pieces.push_back(lives[i]);
    }
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    PlannedStep& step = plan.steps[i];
    if (step.workspace != 0 && step.RunsOnDevice() == device)
      pieces.push_back({AlignedSize(step.workspace), &step.workspace_offset, i, i});
  }
  const std::size_t bytes = PlaceAll(std::move(pieces));
  for (std::size_t i = 0; i < lives.size(); ++i) {
    if (lives[i].offset != nullptr) *lives[i].offset = *lives[first[i]].offset;
  }
  return bytes;
}

}  // namespace

// Device memory is accessed only by work that is queued in the order of the plan's steps, so
// lifetimes on both sides are ranges of steps.
void PlaceInArena(ExecutionPlan& plan) {
  plan.arena = PlaceSide(plan, false);
  plan.device_arena = PlaceSide(plan, true);
}

}  // namespace opledger
