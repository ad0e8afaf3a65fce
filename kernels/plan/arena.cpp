// Offsets by size: the largest values first, each at the lowest place that is free all its life.
// What is computed element by element stands where it reads for the last time.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "kernels/plan/passes.h"

namespace opledger {
namespace {

// A piece of the arena, and the steps from the first to the last that need it.
struct Piece {
  std::size_t bytes = 0;
  std::size_t* offset = nullptr;
  std::size_t first = 0;
  std::size_t last = 0;
};

// The lowest offset that is free beside the pieces of `placed` which live at the same time.
std::size_t FreePlace(const Piece& piece, const std::vector<const Piece*>& placed) {
  std::size_t at = 0;
  for (const Piece* other : placed) {  // in the order of their offsets
    if (other->last < piece.first || piece.last < other->first) continue;
    if (at + piece.bytes <= *other->offset) break;
    at = std::max(at, *other->offset + other->bytes);
  }
  return at;
}

// Of a step that may write where it reads for the last time: the root that it overwrites; else
// kNone.
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

// Values that stand where another one stood: of each the first of them, or itself.
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

// What stands in the arena, by roots.
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

// Bytes of all of them.
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

// Of the device's memory, or of the CPU's: bytes.
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

// What stands on the device is what steps of the device compute, and no such step waits for what
// the CPU does meanwhile: so both sides count the plan's steps.
void PlaceInArena(ExecutionPlan& plan) {
  plan.arena = PlaceSide(plan, false);
  plan.device_arena = PlaceSide(plan, true);
}

}  // namespace opledger
