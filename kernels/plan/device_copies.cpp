// Inserts copies in one pass over the steps. Copies have kernel entries of their own, and nothing
// to run.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/device_copies.h"

#include <algorithm>
#include <map>
#include <set>

#include "kernels/machine/memory_limit.h"

namespace opledger {
namespace {

class CopyPass {
 public:
  explicit CopyPass(ExecutionPlan& plan) : plan_(plan) {}

  void Run();

 private:
  bool IsOnSide(ValueId root, bool device);
  ValueId CopyOf(ValueId root);
  void CountDeviceReads(const std::vector<PlannedStep>& steps);
  void PutOutputs();

  ExecutionPlan& plan_;
  std::set<ValueId> device_reads_;     // roots
  std::map<ValueId, ValueId> copies_;  // copies of roots in the arena, on the other side
};

const KernelEntry& CopyEntry(PlannedStep::Copies copies) {
  static const KernelEntry kToDevice("CopyToDevice", "cuda");
  static const KernelEntry kToCpu("CopyToCpu", "cuda");
  return copies == PlannedStep::Copies::kToDevice ? kToDevice : kToCpu;
}

bool CopyPass::IsOnSide(ValueId root, bool device) {
  Slot& slot = plan_.slots[root];
  if (slot.place == Slot::Place::kArena) return slot.on_device == device;
  slot.on_device = slot.on_device || device;
  return true;
}

ValueId CopyPass::CopyOf(ValueId root) {
  const auto made = copies_.find(root);
  if (made != copies_.end()) return made->second;
  const ValueId copy = plan_.AddSlot(root);
  Slot& slot = plan_.slots[copy];
  slot.place = Slot::Place::kArena;
  slot.type = plan_.slots[root].type;
  slot.on_device = !plan_.slots[root].on_device;
  copies_[root] = copy;
  PlannedStep step;
  step.copies = slot.on_device ? PlannedStep::Copies::kToDevice : PlannedStep::Copies::kToCpu;
  step.kernel = &CopyEntry(step.copies);
  step.inputs = {root};
  step.outputs = {copy};
  plan_.steps.push_back(std::move(step));
  return copy;
}

void CopyPass::CountDeviceReads(const std::vector<PlannedStep>& steps) {
  for (const PlannedStep& step : steps) {
    if (!step.RunsOnDevice()) continue;
    for (const ValueId input : step.inputs) {
      if (input != kNone) device_reads_.insert(plan_.Root(input));
    }
  }
}

// An output keeps its type, which differs from its root's if it is a view.
void CopyPass::PutOutputs() {
  for (ValueId& output : plan_.outputs) {
    const ValueId root = plan_.Root(output);
    const Slot& slot = plan_.slots[root];
    if (slot.place != Slot::Place::kArena || !slot.on_device) continue;
    const ValueId copy = CopyOf(root);
    const ValueId seen = plan_.AddSlot();
    plan_.slots[seen].type = plan_.slots[output].type;
    plan_.slots[seen].view_of = copy;
    output = seen;
  }
}

void CopyPass::Run() {
  std::vector<PlannedStep> steps = std::move(plan_.steps);
  plan_.steps.clear();
  CountDeviceReads(steps);
  for (PlannedStep& step : steps) {
    const bool device = step.RunsOnDevice();
    for (ValueId& input : step.inputs) {
      if (input == kNone || IsOnSide(plan_.Root(input), device)) continue;
      input = CopyOf(plan_.Root(input));
    }
    const std::vector<ValueId> outputs = step.outputs;
    plan_.steps.push_back(std::move(step));
    for (const ValueId output : outputs) {
      if (output == kNone) continue;
      plan_.slots[output].on_device = device;
      if (!device && device_reads_.count(output) != 0) CopyOf(output);
    }
  }
  PutOutputs();
}

}  // namespace

void PutCopies(ExecutionPlan& plan) { CopyPass(plan).Run(); }

namespace {

// "2 TopK, NonZero", most frequent first.
std::string CountsText(const std::map<std::string, std::size_t>& counts) {
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [name, count] : sorted) {
    text += (text.empty() ? "" : ", ") + (count > 1 ? std::to_string(count) + " " : "") + name;
  }
  return text;
}

}  // namespace

CpuShare CpuShareOf(const Graph& graph, const ExecutionPlan& plan) {
  CpuShare share;
  std::set<NodeId> all;
  std::set<NodeId> on_cpu;
  std::set<ValueId> read;
  std::map<std::string, std::size_t> counts;
  for (const PlannedStep& step : plan.steps) {
    if (step.copies != PlannedStep::Copies::kNo) continue;
    read.insert(step.inputs.begin(), step.inputs.end());
    std::vector<NodeId> nodes = step.fused;
    nodes.push_back(step.node);
    for (const NodeId node : nodes) {
      if (node == kNone) continue;
      all.insert(node);
      const bool is_new = !step.refusal.empty() && on_cpu.insert(node).second;
      if (is_new) ++counts[QualifiedName(graph.nodes[node].domain, graph.nodes[node].op)];
    }
  }
  for (const PlannedStep& step : plan.steps) {
    if (step.copies == PlannedStep::Copies::kNo || read.count(step.outputs[0]) == 0) continue;
    share.copied += Bytes(*plan.slots[step.outputs[0]].type);
  }
  share.all = all.size();
  share.on_cpu = on_cpu.size();
  share.operators = CountsText(counts);
  return share;
}

std::string CpuShareText(const CpuShare& share) {
  if (share.on_cpu == 0) return {};
  return std::to_string(share.on_cpu) + " of " + std::to_string(share.all) +
         (share.all == 1 ? " node runs" : " nodes run") + " on the CPU (" + share.operators +
         "), " +
         (share.copied == 0 ? std::string("nothing is")
                            : MemoryText(share.copied) + (share.copied == 1 ? " is" : " are")) +
         " copied between it and the GPU in each run";
}

}  // namespace opledger
