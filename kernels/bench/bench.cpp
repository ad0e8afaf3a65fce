// Runs each way of running a model in a process of its own. The processes take turns, in rounds.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bench/bench.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <locale>
#include <map>
#include <sstream>

#include "kernels/bench/onnx_runtime.h"
#include "kernels/bench/ratios.h"
#include "kernels/bench/temporary_folder.h"
#include "kernels/bench/worker.h"
#include "kernels/machine/backend.h"
#include "kernels/machine/machine.h"
#include "kernels/machine/parallel.h"
#include "kernels/model/files_read.h"
#include "kernels/model/model.h"
#include "kernels/plan/device_copies.h"
#include "kernels/tensor/npy_file.h"
#include "registry/files/files.h"

namespace opledger {
namespace {

constexpr int kRounds = 5;

// A reply of a process: its first word, and the rest of the line.
struct Reply {
  std::string word;
  std::istringstream rest;

  std::string Text() {
    std::string text;
    std::getline(rest >> std::ws, text);
    return text;
  }
};

Reply NextReply(ChildProcess& process) {
  const auto line = process.NextLine();
  Reply reply;
  reply.rest.imbue(std::locale::classic());
  reply.rest.str(line.value_or("problem " + process.problem()));
  reply.rest >> reply.word;
  return reply;
}

struct Way {
  Timing timing;
  std::string program = "opledger-run";
  std::optional<ChildProcess> process = {};  // nullopt: not running

  // Returns the next reply if it starts with `expected`; otherwise records the problem and ends the
  // process.
  std::optional<Reply> Hear(const char* expected);
  std::optional<Reply> Ask(const std::string& request, const char* expected);
};

std::optional<Reply> Way::Hear(const char* expected) {
  if (!process) return std::nullopt;
  Reply reply = NextReply(*process);
  if (reply.word == expected) return reply;
  process.reset();
  const std::string why = reply.Text();
  (reply.word == "same" ? timing.same_as_float32 : timing.problem) =
      why.empty() ? "'" + program + "' ended without giving a reason" : why;
  return std::nullopt;
}

std::optional<Reply> Way::Ask(const std::string& request, const char* expected) {
  if (process) process->Say(request);
  return Hear(expected);
}

class ModelBench {
 public:
  ModelBench(const BenchModel& model, const BenchOptions& options, BenchReport& report)
      : model_(model), options_(options), report_(report) {}

  // Returns nullopt, with errors, if the model does not run in float32.
  std::optional<MeasuredModel> Measure(Diagnostics& diagnostics);

 private:
  bool StartAll(Diagnostics& diagnostics);
  void StartPeer(const RunnableModel& model, const ModelInputs& inputs);
  void StartOurs(const std::string& what, const std::string& dtype);
  void RunRounds();
  void AskKernels(Way& way);
  void AskMemory(Way& way);
  void AskShapes(Way& float32);

  const BenchModel& model_;
  const BenchOptions& options_;
  BenchReport& report_;
  TemporaryFolder folder_;
  std::vector<Way> ways_;
  std::optional<ShapeCosts> shapes_;
};

void ModelBench::StartPeer(const RunnableModel& model, const ModelInputs& inputs) {
  Way& way = ways_.emplace_back();
  way.timing.what = "ONNX Runtime";
  way.program = options_.onnxruntime;
  if (!model.onnx) {
    way.timing.problem = "it runs only ONNX models";
    return;
  }
  std::vector<std::pair<std::string, std::string>> files;
  Diagnostics ignored;
  for (const auto& [name, tensor] : inputs.tensors) {
    files.emplace_back(name, folder_.path() + "/" + std::to_string(files.size()) + ".npy");
    if (!folder_.path().empty() &&
        WriteNpy(files.back().second, tensor.type, tensor.data.get(), ignored)) {
      continue;
    }
    way.timing.problem = "its inputs could not be written to a temporary folder";
    return;
  }
  way.process.emplace(StartOnnxRuntime(options_.onnxruntime, model_.path, report_.threads, files));
}

void ModelBench::StartOurs(const std::string& what, const std::string& dtype) {
  Way& way = ways_.emplace_back();
  way.timing.what = what;
  WorkerOptions options = {model_, {dtype, options_.list}, options_.device, report_.threads};
  if (const auto converted = model_.converted.find(dtype); converted != model_.converted.end()) {
    options.model.path = converted->second;
    options.autocast.dtype.clear();
  }
  way.process.emplace(StartWorker(options));
  auto ready = way.Hear("ready");
  if (!ready) return;
  double open = 0;
  double plan = 0;
  ready->rest >> open >> plan;
  way.timing.plan = open + plan;
  way.timing.on_cpu = ready->Text();
}

// Starts the processes one after the other, so that none disturbs another's planning. The model is
// closed before, to leave its memory to them.
bool ModelBench::StartAll(Diagnostics& diagnostics) {
  {
    auto model = OpenRunnable(model_.path, model_.params, model_.inputs, diagnostics);
    if (!model) return false;
    Bind(*model);
    const auto inputs = TakeInputs(*model, model_.inputs, diagnostics);
    if (!inputs) return false;
    if (!options_.onnxruntime.empty()) StartPeer(*model, *inputs);
  }
  if (!ways_.empty()) {
    Way& peer = ways_.back();
    if (auto ready = peer.Hear("ready")) {
      double none = 0;
      ready->rest >> peer.timing.plan >> none;
      report_.onnxruntime = ready->Text();
    }
  }
  StartOurs("float32", {});
  for (const std::string& dtype : options_.dtypes) StartOurs(dtype + " by list", dtype);
  return true;
}

void ModelBench::RunRounds() {
  const int runs = std::max(1, options_.runs);
  const int rounds = std::min(kRounds, runs);
  for (int round = 0; round < rounds; ++round) {
    for (Way& way : ways_) {
      auto ran = way.Ask("run " + std::to_string(runs / rounds), "ran");
      if (!ran) continue;
      ran->rest >> way.timing.runs.emplace_back() >> way.timing.elapsed.emplace_back();
    }
  }
}

void ModelBench::AskKernels(Way& way) {
  if (way.timing.what == "ONNX Runtime" || !way.process) return;
  way.process->Say("kernels");
  for (Reply reply = NextReply(*way.process); reply.word != "end" && reply.word != "problem";
       reply = NextReply(*way.process)) {
    auto step = ParseRecordedStep(reply.Text());
    if (!step) continue;
    way.timing.steps.push_back({std::strtod(reply.word.c_str(), nullptr), std::move(*step)});
  }
}

void ModelBench::AskMemory(Way& way) {
  auto said = way.Ask("memory", "memory");
  double bytes = 0;
  if (said && said->rest >> bytes) way.timing.memory = bytes;
}

// Called last, because it takes memory. A process of its own measures the cold plan.
void ModelBench::AskShapes(Way& float32) {
  auto said = float32.Ask("shapes", "shapes");
  if (!said) return;
  ShapeCosts& costs = shapes_.emplace();
  double fresh = 0;
  said->rest >> costs.seen;
  if (!(said->rest >> fresh)) return;
  costs.fresh = fresh;
  WorkerOptions cold = {model_, {}, options_.device, report_.threads};
  cold.model.inputs.shapes = model_.new_shapes;
  ChildProcess process = StartWorker(cold);
  Reply ready = NextReply(process);
  double open = 0;
  double plan = 0;
  if (ready.word == "ready" && ready.rest >> open >> plan) costs.cold = plan;
}

std::optional<MeasuredModel> ModelBench::Measure(Diagnostics& diagnostics) {
  if (!StartAll(diagnostics)) return std::nullopt;
  RunRounds();
  for (Way& way : ways_) {
    if (options_.by_kernel) AskKernels(way);
    if (report_.is_suite) AskMemory(way);
  }
  for (Way& way : ways_) {
    const bool is_base = way.timing.what == "float32";
    if (is_base && report_.is_suite && options_.device == "cpu") AskShapes(way);
    if (way.timing.problem.empty()) continue;
    if (is_base) return diagnostics.Error({.path = model_.path}, way.timing.problem);
    diagnostics.Warning({.path = model_.path},
                        way.timing.what + " was not measured: " + way.timing.problem);
  }
  MeasuredModel measured = {model_.path, {}, shapes_};
  for (Way& way : ways_) measured.timings.push_back(std::move(way.timing));
  return measured;
}

// Checks that the output does not overwrite a file that is read.
bool CheckOutput(const BenchOptions& options, const std::vector<BenchFamily>& families,
                 Diagnostics& diagnostics) {
  if (options.output.empty()) return true;
  FilesInUse files;
  if (!options.suite.empty()) files.read.push_back(options.suite);
  for (const BenchFamily& family : families) {
    for (const BenchModel& each : family.models) {
      files.read.push_back(each.path);
      for (const auto& converted : each.converted) files.read.push_back(converted.second);
      Diagnostics unused;  // running the model reports these errors
      const auto model = OpenRunnable(each.path, each.params, each.inputs, unused);
      if (!model) continue;
      const FilesInUse more = FilesRead(*model, each.params, each.inputs, options.list);
      files.read.insert(files.read.end(), more.read.begin(), more.read.end());
    }
  }
  return CheckOutputFiles(files, {{"-o", options.output}}, diagnostics);
}

// Returns nullopt, with errors, if the suite cannot be read or there is nothing to measure.
std::optional<BenchSuite> SuiteOf(const BenchOptions& options, Diagnostics& diagnostics) {
  if (options.suite.empty() == options.models.empty()) {
    return diagnostics.Error({}, "name models, or a --suite of them",
                             "`opledger bench --help` has examples");
  }
  if (options.suite.empty()) {
    BenchSuite suite = {{{}}, {}};
    for (const std::string& path : options.models) {
      suite.families[0].models.push_back({path, options.params, options.inputs, {}, {}});
    }
    return suite;
  }
  auto suite = ReadSuite(options.suite, diagnostics);
  if (!suite) return std::nullopt;
  for (BenchFamily& family : suite->families) {
    for (BenchModel& model : family.models) {
      model.inputs.memory_limit = options.inputs.memory_limit;
    }
  }
  return suite;
}

bool CheckDevice(const BenchOptions& options, Diagnostics& diagnostics) {
  Status why;
  const KernelChoice choice = ChoiceFor(options.device);
  if (choice.device == "cpu" || OpenDevice(choice.device, choice.device_number, why) != nullptr) {
    return true;
  }
  return diagnostics.Error({}, why.message, why.hint);
}

bool IsSomeBarMissed(const BenchReport& report) {
  const std::vector<BarResult> results = JudgeBars(report);
  return std::any_of(results.begin(), results.end(),
                     [](const BarResult& result) { return result.missed(); });
}

}  // namespace

std::vector<std::pair<std::string, double>> SecondsByKernel(const Timing& timing, NamedBy by) {
  std::map<std::string, double> of_kernel;
  for (const auto& [seconds, step] : timing.steps) {
    const bool is_named = by == NamedBy::kImplementation && !step.implementation.empty();
    of_kernel[step.kernel + (is_named ? ", " + step.implementation : "")] += seconds;
  }
  std::vector<std::pair<std::string, double>> sorted(of_kernel.begin(), of_kernel.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

int Bench(const BenchOptions& options, std::string& text, Diagnostics& diagnostics) {
  auto suite = SuiteOf(options, diagnostics);
  if (!suite || !CheckOutput(options, suite->families, diagnostics)) return 2;
  if (!CheckDevice(options, diagnostics)) return 2;
  SetThreads(options.threads);
  BenchReport report;
  report.device = ChoiceFor(options.device).device;
  report.machine = InstructionSets();
  report.libraries = Libraries(report.device);
  report.threads = static_cast<int>(Threads());
  report.is_suite = !options.suite.empty();
  report.bars = std::move(suite->bars);
  bool all = true;
  for (const BenchFamily& family : suite->families) {
    MeasuredFamily& measured = report.families.emplace_back();
    measured.name = family.name;
    for (const BenchModel& model : family.models) {
      auto one = ModelBench(model, options, report).Measure(diagnostics);
      all = all && one.has_value();
      if (one) measured.models.push_back(std::move(*one));
    }
  }
  const bool as_json = options.format == "json";
  text = as_json ? BenchJson(report) : report.is_suite ? SuiteText(report) : BenchText(report);
  if (!options.output.empty()) {
    if (!WriteFile(options.output, text, diagnostics)) return 2;
    text.clear();
  }
  return !all ? 2 : IsSomeBarMissed(report) ? 1 : 0;
}

}  // namespace opledger
