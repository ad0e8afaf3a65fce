// The pipeline of planning after lowering (planner.cpp): a table of passes, run in order.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/passes.h"

#include <algorithm>
#include <map>
#include <set>

#include "kernels/machine/cpu_time.h"
#include "kernels/machine/memory_limit.h"
#include "kernels/plan/device_copies.h"

namespace opledger {
namespace {

bool IsFast(const PlanContext& context) { return !context.request.choice.reference_only; }

// Returns whether steps may be fused, widened or reordered.
bool MayRearrange(const PlanContext& context) { return IsFast(context) && !context.is_plain; }

const RecordedChoices* ChoicesOf(const PlanContext& context) {
  return context.choices ? &*context.choices : nullptr;
}

// Takes over the problem that the replay found.
bool FailAsRecorded(PlanContext& context) {
  if (const auto& why = context.request.replay->problem()) context.problem = why->message;
  return false;
}

bool FindRecord(PlanContext& context) {
  const PlanRequest& request = context.request;
  if (request.replay == nullptr) return true;
  context.recorded =
      request.replay->Find(*request.graph, request.scope, request.part, context.plan);
  if (context.recorded == nullptr) return FailAsRecorded(context);
  context.choices.emplace(*request.graph, *context.recorded);
  return true;
}

// A recorded plan must have the steps of an ordinary run, even if steps are shown.
bool Widen(PlanContext& context) {
  const PlanRequest& request = context.request;
  if (!MayRearrange(context)) return true;
  const bool shows = request.shows_steps && request.record == nullptr && request.replay == nullptr;
  if (request.choice.device == "cpu" && !shows) WidenValues(context.plan);
  return true;
}

bool Fuse(PlanContext& context) {
  if (MayRearrange(context)) FuseContractions(context.plan, ChoicesOf(context));
  return true;
}

bool LayOut(PlanContext& context) {
  if (MayRearrange(context)) PutChannelsLast(context.plan, ChoicesOf(context));
  return true;
}

// Frees constants once kernels have packed them, so that a model's weights are in memory only once.
class ConstantReaders {
 public:
  explicit ConstantReaders(ExecutionPlan& plan) : plan_(plan) {
    for (std::size_t i = 0; i < plan.slots.size(); ++i) {
      const Slot& slot = plan.slots[i];
      if (slot.place != Slot::Place::kConstant || slot.constant.data == nullptr) continue;
      roots_[slot.constant.data.get()] = static_cast<ValueId>(i);
    }
    for (const PlannedStep& step : plan.steps) {
      for (const ValueId root : ReadBy(step)) ++readers_[root];
    }
    for (const ValueId output : plan.outputs) ++readers_[plan.Root(output)];
    for (const auto& [data, root] : roots_) {
      if (readers_.count(root) == 0) plan.slots[root].constant.data.reset();
    }
  }

  // Returns the constants that a kernel may read when it is chosen or runs.
  std::set<ValueId> ReadBy(const PlannedStep& step) const {
    std::set<ValueId> read;
    for (const ValueId input : step.inputs) {
      if (input != kNone && plan_.IsConstant(input)) read.insert(plan_.Root(input));
    }
    for (const void* constant : step.call.constants) {
      const auto root = roots_.find(constant);
      if (root != roots_.end()) read.insert(root->second);
    }
    return read;
  }

  // Records that the step has its kernel. `before`: the constants that it read until now.
  void Leave(PlannedStep& step, const std::set<ValueId>& before) {
    step.call.constants.clear();
    const std::set<ValueId> now = ReadBy(step);
    for (const ValueId root : before) {
      if (now.count(root) == 0 && --readers_[root] == 0) plan_.slots[root].constant.data.reset();
    }
  }

 private:
  ExecutionPlan& plan_;
  std::map<const void*, ValueId> roots_;
  std::map<ValueId, int> readers_;
};

// Steps without a kernel on the device run on the CPU, unless only_device is set; then the first
// such step is the problem.
bool ChooseFastest(PlanContext& context) {
  const KernelChoice& choice = context.request.choice;
  ConstantReaders readers(context.plan);
  for (PlannedStep& step : context.plan.steps) {
    const std::set<ValueId> read = readers.ReadBy(step);
    auto* const refused = context.request.AsksWhy() ? &step.refused : nullptr;
    ChosenKernel chosen = ChooseKernel(step.kernel->name(), step.call, choice, refused);
    if (chosen.entry == nullptr && choice.device != "cpu") {
      const Status& why = chosen.prepared.refusal;
      if (choice.only_device) {
        context.problem = why;
        context.problem.node = step.node;
        if (step.node == kNone) context.problem.message = "between nodes: " + why.message;
        return false;
      }
      step.refusal = why.message;
      chosen = ChooseKernel(step.kernel->name(), step.call, {}, refused);
    }
    const bool is_control_flow = Kernels().count(step.kernel->name()) == 0;
    if (chosen.entry == nullptr && !is_control_flow && !context.is_plain) {
      context.must_be_plain = true;
      return false;
    }
    if (chosen.entry == nullptr) continue;  // keeps the kernel that it was planned with
    step.kernel = chosen.entry;
    TakeChosen(std::move(chosen.prepared), step);
    readers.Leave(step, read);
  }
  return true;
}

bool ChooseKernels(PlanContext& context) {
  const PlanRequest& request = context.request;
  if (request.replay == nullptr) return !IsFast(context) || ChooseFastest(context);
  return request.replay->Choose(*request.graph, *context.recorded, request.choice.device,
                                request.AsksWhy(), context.plan) ||
         FailAsRecorded(context);
}

// Steps are not prepared again, and kernels have packed the constants that they need.
bool DropConstants(PlanContext& context) {
  ExecutionPlan& plan = context.plan;
  for (PlannedStep& step : plan.steps) step.call.constants.clear();
  const std::set<ValueId> read = plan.ReadRoots();
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    Slot& slot = plan.slots[i];
    if (slot.place != Slot::Place::kConstant) continue;
    if (IsFast(context) && read.count(static_cast<ValueId>(i)) == 0) {
      slot.constant.data.reset();
    } else {
      slot.constant.Share();
    }
  }
  return true;
}

bool WriteRecord(PlanContext& context) {
  const PlanRequest& request = context.request;
  if (request.record != nullptr) {
    RecordGraph(*request.graph, request.scope, request.part, context.plan, *request.record);
  }
  if (request.shown != nullptr && request.scope != 0) {
    RecordGraph(*request.graph, request.scope, request.part, context.plan, *request.shown);
  }
  return true;
}

bool Join(PlanContext& context) {
  const bool is_cpu = context.request.choice.device == "cpu";
  if (!is_cpu || !context.request.shows_steps) JoinLaunches(context.plan);
  return true;
}

bool CopyBetween(PlanContext& context) {
  if (context.request.choice.device != "cpu") PutCopies(context.plan);
  return true;
}

bool PlaceValues(PlanContext& context) {
  PlaceInArena(context.plan);
  return true;
}

// Checks the arena against the memory that is left. The arena of an inner graph is part of the
// outer one's.
bool CheckMemory(PlanContext& context) {
  const ExecutionPlan& plan = context.plan;
  const std::size_t needed = plan.arena + plan.device_arena;
  if (context.request.scope != 0 || needed <= MemoryLeft()) return true;
  const PlannedStep* largest = nullptr;
  std::size_t max_bytes = 0;
  for (const PlannedStep& step : plan.steps) {
    for (const ValueId output : step.outputs) {
      const std::size_t bytes = output == kNone ? 0 : Bytes(*plan.slots[output].type);
      if (bytes <= max_bytes) continue;
      max_bytes = bytes;
      largest = &step;
    }
  }
  std::string text = "its values need " + TooMuchMemory(needed);
  if (largest != nullptr && largest->node != kNone) {
    text += "; the largest, of " + MemoryText(max_bytes) + ", is computed by node '" +
            context.request.graph->NameOf(largest->node) + "'";
  }
  context.problem = std::move(text);
  return false;
}

struct Pass {
  const char* name;
  const char* what;
  bool (*run)(PlanContext&);  // false: there is no plan
};

constexpr Pass kPasses[] = {
    {"find-record", "finds the recorded plan of this graph, if one is followed", &FindRecord},
    {"widen-values", "keeps 16-bit values in float32 where products are computed in it", &Widen},
    {"fuse-contractions", "fuses contractions with their only readers", &Fuse},
    {"channels-last", "moves channels last for convolutions and steps between them", &LayOut},
    {"choose-kernels", "chooses the best kernel of the device for each step, or the recorded one",
     &ChooseKernels},
    {"drop-constants", "frees constants that no kernel reads, and shares the others among plans",
     &DropConstants},
    {"write-record", "records the choices, for --write-plan and for showing inner graphs",
     &WriteRecord},
    {"join-launches", "joins successive element-wise steps", &Join},
    {"put-copies", "inserts copies between the device and the CPU", &CopyBetween},
    {"place-in-arena", "assigns an offset to each value and workspace", &PlaceValues},
    {"check-memory", "refuses plans that do not fit in memory", &CheckMemory},
};

}  // namespace

bool RunPasses(PlanContext& context) {
  const PlanRequest& request = context.request;
  if (request.watch == nullptr) {
    return std::all_of(std::begin(kPasses), std::end(kPasses),
                       [&](const Pass& pass) { return pass.run(context); });
  }
  for (const Pass& pass : kPasses) {
    const double begin = ClockSeconds();
    if (!pass.run(context)) return false;
    (*request.watch)(request, pass.name, ClockSeconds() - begin, context.plan);
  }
  return true;
}

void TakeChosen(Prepared prepared, PlannedStep& step) {
  step.run = std::move(prepared.run);
  step.launch = std::move(prepared.launch);
  step.workspace = prepared.workspace;
  step.implementation = std::move(prepared.implementation);
  for (const std::size_t input : prepared.unread_inputs) step.inputs[input] = kNone;
}

}  // namespace opledger
