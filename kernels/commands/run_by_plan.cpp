// A recorded plan and the options must agree; contradictions are errors.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/commands/run_by_plan.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "kernels/kernel/kernel.h"
#include "kernels/kernel/narrow_products.h"
#include "kernels/machine/backend.h"
#include "kernels/machine/machine.h"
#include "kernels/machine/parallel.h"
#include "registry/files/files.h"
#include "registry/text/short_number.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

// Returns a contradiction with the plan and its remedy; empty strings if there is none.
std::pair<std::string, std::string> Contradiction(const RecordedPlan& plan,
                                                  const RunOptions& options) {
  const KernelChoice choice = ChoiceFor(options.device);
  if (plan.device != choice.device) {
    return {
        "the plan is for " + plan.device + ", but the model runs on " + std::string(choice.device),
        "pass --device " + plan.device + ", or record the plan again with --write-plan"};
  }
  if (plan.kernels == "reference" && plan.device != "cpu") {
    return {"the plan uses reference kernels, which run only on the CPU",
            "set the plan's \"device\" to \"cpu\""};
  }
  const auto on_cpu = [](const RecordedGraph& graph) {
    return graph.scope == 0 &&
           std::any_of(graph.steps.begin(), graph.steps.end(),
                       [](const RecordedStep& step) { return step.device == "cpu"; });
  };
  if (choice.only_device && std::any_of(plan.graphs.begin(), plan.graphs.end(), on_cpu)) {
    return {"the plan runs nodes on the CPU, which --device cuda-only does not allow",
            "pass --device cuda, or record the plan again with --write-plan"};
  }
  if (plan.autocast != options.autocast.dtype) {
    const auto by = [](const std::string& dtype) {
      return dtype.empty() ? "without --autocast" : "with --autocast " + dtype;
    };
    return {"the plan was made " + by(plan.autocast) + ", but the model runs " +
                by(options.autocast.dtype),
            "run it " + by(plan.autocast) + ", or record the plan again with --write-plan"};
  }
  if (plan.small_constants != options.autocast.small_constants) {
    return {"the plan was made with --small-constants " + plan.small_constants +
                ", but the model runs with " + options.autocast.small_constants,
            "pass --small-constants " + plan.small_constants +
                ", or record the plan again with --write-plan"};
  }
  if (options.kernels == "reference" && plan.kernels != options.kernels) {
    return {"the plan selects the kernels, which --kernels reference contradicts",
            "leave out --kernels or --plan"};
  }
  if (options.threads > 0 && options.threads != plan.threads) {
    return {"the plan is for " + Counted(plan.threads, "thread") + ", but --threads is " +
                std::to_string(options.threads),
            "leave out --threads, or record the plan again with --write-plan"};
  }
  return {};
}

}  // namespace

std::optional<PlanReplay> OpenPlan(const RunOptions& options, Diagnostics& diagnostics) {
  auto plan = ReadRecordedPlan(options.plan, diagnostics);
  if (!plan) return std::nullopt;
  if (const auto [problem, remedy] = Contradiction(*plan, options); !problem.empty()) {
    diagnostics.Error({.path = options.plan}, problem, remedy);
    return std::nullopt;
  }
  SetThreads(plan->threads);
  for (const auto& [dtype, name] : plan->products) {
    const NarrowProducts products = ParseNarrowProducts(name);
    if (products != NarrowProducts::kOpen) SetNarrowProducts(dtype, products);
  }
  const std::string here = Libraries(plan->device);
  if (plan->kernels == "fast" && !plan->libraries.empty() && plan->libraries != here) {
    diagnostics.Warning({.path = options.plan},
                        "the plan was made with " + plan->libraries + ", here is " + here,
                        "its kernels run, but the library's results may differ in the last bits");
  }
  return PlanReplay(std::move(*plan));
}

RecordedPlan BeginRecord(const RunOptions& options) {
  RecordedPlan recorded;
  recorded.kernels = options.kernels;
  recorded.device = ChoiceFor(options.device).device;
  recorded.autocast = options.autocast.dtype;
  recorded.small_constants = options.autocast.small_constants;
  recorded.libraries = Libraries(recorded.device);
  recorded.machine = InstructionSets();
  recorded.threads = static_cast<int>(Threads());
  return recorded;
}

namespace {

// "graph 3, lower: 5 nodes in 3 steps, 1 cast, 0.012 ms"
std::string PassText(const PlanRequest& request, const char* pass, double seconds,
                     const ExecutionPlan& plan) {
  std::set<NodeId> nodes;
  std::uint64_t casts = 0;
  std::uint64_t steps = 0;
  for (const PlannedStep& step : plan.steps) {
    nodes.insert(step.fused.begin(), step.fused.end());
    if (step.node != kNone) {
      nodes.insert(step.node);
      ++steps;
    } else {
      casts += step.kernel->name() == "Cast" ? 1 : 0;
    }
  }
  const std::uint64_t moves = plan.steps.size() - steps - casts;
  std::string text = request.scope == 0 ? "" : "graph " + std::to_string(request.scope) + ", ";
  text += std::string(pass) + ": " + Counted(nodes.size(), "node") + " in " +
          Counted(steps, "step") + ", " + Counted(casts, "cast");
  if (moves != 0) text += ", " + Counted(moves, "move");
  return text + ", " + ShortNumber(seconds * 1e3) + " ms\n";
}

}  // namespace

WatchPass WatchPasses(const RunOptions& options, std::string& text, Diagnostics& diagnostics) {
  if (!options.trace_passes && options.write_passes.empty()) return nullptr;
  std::error_code error;
  if (!options.write_passes.empty()) {
    std::filesystem::create_directories(options.write_passes, error);
  }
  return [&, number = 0](const PlanRequest& request, const char* pass, double seconds,
                         const ExecutionPlan& plan) mutable {
    text += PassText(request, pass, seconds, plan);
    if (options.write_passes.empty() || diagnostics.has_errors()) return;
    RecordedPlan recorded = BeginRecord(options);
    RecordGraph(*request.graph, request.scope, request.part, plan, recorded);
    char file[64];
    std::snprintf(file, sizeof file, "/%03d-%s.json", ++number, pass);
    WriteFile(options.write_passes + file, RecordedPlanJson(recorded), diagnostics);
  };
}

bool WriteRecord(RecordedPlan recorded, const std::string& path, Diagnostics& diagnostics) {
  for (const Dtype dtype : kNarrowDtypes) {
    recorded.products[dtype] = NarrowProductsName(ChosenNarrowProducts(dtype));
  }
  return WriteFile(path, RecordedPlanJson(recorded), diagnostics);
}

}  // namespace opledger
