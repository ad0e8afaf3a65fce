// The program opledger-run, which `opledger run` and related verbs start.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "kernels/bench/bench.h"
#include "kernels/bench/worker.h"
#include "kernels/commands/commands.h"
#include "kernels/commands/serve.h"
#include "kernels/compare/compare.h"
#include "kernels/compare/tune.h"
#include "kernels/evidence/evidence.h"
#include "kernels/machine/parallel.h"
#include "registry/files/files.h"
#include "registry/files/output_files.h"
#include "registry/platform/command_line.h"
#include "registry/platform/process_limits.h"
#include "registry/platform/sandbox.h"
#include "registry/project/cache_folder.h"

namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  opledger run model.onnx --input x=x.npy -o out\n"
    "      writes each output as out/NAME.npy\n"
    "  opledger run model.onnx --input x=random --kernels reference --trace\n"
    "      every node with its kernel and the range of what it computed\n"
    "  opledger run net-symbol.json --params net-0000.params --input data=data.npy\n"
    "      an MXNet model\n"
    "Exit status: 0 done, 2 could not run, 130 ended by Ctrl-C.";

constexpr const char* kModelHeading = "The model and its inputs";
constexpr const char* kWayHeading = "How it runs";
constexpr const char* kLimitHeading = "Limits";
constexpr const char* kResultHeading = "Results";

void DeclareModel(CLI::App& app, std::string& model) {
  app.add_option("MODEL", model, "The float32 model: ONNX, or an MXNet symbol.json")
      ->required()
      ->type_name("");
}

void DeclareTargetDtype(CLI::App& app, std::string& dtype, const char* about) {
  opledger::UnderHeading(app, kWayHeading);
  opledger::TakesOneOf(app.add_option("--target-dtype", dtype, about)->type_name("DTYPE"),
                       {"float16", "bfloat16"});
}

// Further options that decide which nodes run low. `autocast`: the option they require, or nullptr.
void DeclareHazards(CLI::App& app, opledger::AutocastOptions& options, CLI::Option* autocast) {
  auto* hazards = app.add_option("--hazards", options.hazards,
                                 "How to treat nodes whose values would be lost in 16 bits, as in "
                                 "`opledger convert`: raise (default), or report")
                      ->type_name("HOW");
  opledger::TakesOneOf(hazards, {"raise", "report"});
  auto* islands = app.add_option("--quantized-islands", options.quantized_islands,
                                 "Floats between quantized values, as in `opledger convert`: keep "
                                 "(default), or convert")
                      ->type_name("HOW");
  opledger::TakesOneOf(islands, {"keep", "convert"});
  auto* ranges = app.add_option("--input-range", options.input_ranges,
                                "The range of an input's values, for the same analysis; repeatable")
                     ->allow_extra_args(false)
                     ->type_name("NAME=LO,HI");
  if (autocast == nullptr) return;
  hazards->needs(autocast);
  islands->needs(autocast);
  ranges->needs(autocast);
}

void DeclareAutocast(CLI::App& app, opledger::AutocastOptions& options, const char* about) {
  opledger::UnderHeading(app, kWayHeading);
  auto* autocast = app.add_option("--autocast", options.dtype, about)->type_name("DTYPE");
  opledger::TakesOneOf(autocast, {"float16", "bfloat16"});
  app.add_option("--list", options.list,
                 "The precision list of --autocast; default: the shipped one")
      ->needs(autocast)
      ->type_name("FILE");
  DeclareHazards(app, options, autocast);
  opledger::TakesOneOf(
      app.add_option("--small-constants", options.small_constants,
                     "With --autocast: keep (default), or clamp, as in `opledger convert`")
          ->needs(autocast)
          ->type_name("HOW"),
      {"keep", "clamp"});
}

void DeclareDevice(CLI::App& app, std::string& device) {
  opledger::UnderHeading(app, kWayHeading);
  opledger::TakesOneOf(app.add_option("--device", device,
                                      "cpu (default); cuda: the first NVIDIA GPU, and the CPU for "
                                      "nodes without a GPU kernel; or cuda-only: such nodes are an "
                                      "error. cuda:N and cuda-only:N select GPU N, counted from 0")
                           ->type_name("NAME"),
                       {"cpu", "cuda", "cuda-only"}, &opledger::IsNumberedDevice);
}

// Lists the current value, which is the default, first.
void DeclareKernels(CLI::App& app, std::string& kind, const char* about) {
  opledger::UnderHeading(app, kWayHeading);
  const std::string other = kind == "fast" ? "reference" : "fast";
  opledger::TakesOneOf(app.add_option("--kernels", kind, about)->type_name("KIND"), {kind, other});
}

void DeclareThreads(CLI::App& app, int& threads, const char* about) {
  opledger::UnderHeading(app, kWayHeading);
  opledger::TakesNonNegative(app.add_option("--threads", threads, about)->type_name("N"));
}

void DeclareFormat(CLI::App& app, std::string& format) {
  opledger::UnderHeading(app, kResultHeading);
  opledger::TakesOneOf(
      app.add_option("--format", format, "text (default) or json")->type_name("FORMAT"),
      {"text", "json"});
}

void DeclareReport(CLI::App& app, std::string& format, std::string& output) {
  DeclareFormat(app, format);
  app.add_option("-o,--output", output, "Where to write it; default: standard output")
      ->type_name("FILE");
}

void DeclareParams(CLI::App& app, std::string& params) {
  opledger::UnderHeading(app, kModelHeading);
  app.add_option("--params", params, "The parameters of an MXNet model")->type_name("FILE");
}

void DeclareInputs(CLI::App& app, opledger::InputOptions& options) {
  opledger::UnderHeading(app, kModelHeading);
  app.add_option("--data-root", options.data_root,
                 "ONNX: follow links of a model's external data within this folder, as in caches "
                 "of model hubs")
      ->type_name("DIR");
  app.add_option("--input", options.given, "An input: a .npy file, or random; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME=FILE");
  app.add_option("--input-shape", options.shapes,
                 "The shape of a random input that the model leaves open; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME=D,D");
  opledger::UnderHeading(app, kLimitHeading);
  app.add_option("--memory-limit", options.memory_limit,
                 "Refuse a run that needs more memory than this, such as 16G; default: three "
                 "quarters of the machine's")
      ->type_name("SIZE");
}

void DeclareTimeLimit(CLI::App& app, std::optional<double>& seconds, const char* about) {
  opledger::UnderHeading(app, kLimitHeading);
  opledger::TakesNonNegative(app.add_option("--time-limit", seconds, about)->type_name("SECONDS"));
}

void DeclareInputsFrom(CLI::App& app, opledger::InputOptions& options, const char* about) {
  opledger::UnderHeading(app, kModelHeading);
  app.add_option("--inputs-from", options.from, about)->type_name("DIR");
}

void Declare(CLI::App& app, opledger::RunOptions& options) {
  app.footer(kExamples);
  app.add_option("MODEL", options.model, "The model: ONNX, or an MXNet symbol.json")->type_name("");
  DeclareParams(app, options.params);
  DeclareInputs(app, options.inputs);
  DeclareInputsFrom(app, options.inputs,
                    "Run once for each subfolder, which holds the inputs as NAME.npy; runs with "
                    "the same shapes share a plan");
  opledger::UnderHeading(app, kResultHeading);
  app.add_option("-o,--output", options.output, "The folder to write the outputs to, as NAME.npy")
      ->type_name("DIR");
  DeclareKernels(app, options.kernels,
                 "fast (default): the fastest kernels for this machine; or reference");
  DeclareDevice(app, options.device);
  DeclareAutocast(app, options.autocast,
                  "Run a float32 model by a precision list, without converting it: float16 or "
                  "bfloat16");
  DeclareThreads(app, options.threads, "Number of threads; default and 0: one for each processor");
  opledger::UnderHeading(app, kLimitHeading);
  opledger::TakesNonNegative(
      app.add_option(
             "--max-trips", options.max_trips,
             "End a run whose loops take more trips than this in total; default: 100 million")
          ->type_name("N"));
  DeclareTimeLimit(app, options.seconds, "End a run after this many seconds; Ctrl-C also ends it");
  opledger::UnderHeading(app, "Plans and kernels");
  app.add_flag("--trace", options.trace,
               "Show which implementation runs each node, why preferred ones refused, and the "
               "range of its outputs");
  app.add_flag("--trace-passes", options.trace_passes,
               "Show the nodes, casts and time of each planning pass");
  app.add_option("--write-passes", options.write_passes,
                 "Also write the plan after each pass to this folder, as NUMBER-PASS.json")
      ->type_name("DIR");
  app.add_option("--write-plan", options.write_plan,
                 "Record which kernels run the model, how nodes are fused, and the layouts")
      ->type_name("FILE");
  app.add_option("--plan", options.plan,
                 "Replay such a record, with the same bits; a kernel that cannot run is an error")
      ->type_name("FILE");
  opledger::TakesOneOf(
      app.add_option("--list-kernels", options.list_kernels,
                     "List the kernels of this program instead of running a model: text; json, for "
                     "`opledger check --operators`; or summary, their number by implementation")
          ->type_name("FORMAT"),
      {"text", "json", "summary"});
}

// For programs, so no help lists it.
void Declare(CLI::App& app, opledger::ServeOptions& options) {
  app.add_option("FD", options.memory, "The descriptor of a memory file")->required();
  DeclareModel(app, options.model.model);
  DeclareParams(app, options.model.params);
  DeclareKernels(app, options.model.kernels, "fast (default); or reference");
  DeclareDevice(app, options.model.device);
  DeclareAutocast(app, options.model.autocast, "Run the model by a precision list");
  app.add_option("--memory-limit", options.model.inputs.memory_limit)->type_name("SIZE");
}

constexpr const char* kCompareExamples =
    "Examples:\n"
    "  opledger compare model.onnx mixed.onnx --input x=x.npy\n"
    "      how far the outputs are from float64, the first node to overflow, the worst nodes\n"
    "  opledger compare model.onnx --autocast float16 --max-error 1e-2 --format json\n"
    "      a model that is not converted yet, on random inputs, as JSON for programs\n"
    "Exit status: 0 done, 1 an output is off by more than --max-error, 2 could not compare, 130 "
    "ended\n"
    "by Ctrl-C.";

void Declare(CLI::App& app, opledger::CompareOptions& options) {
  app.footer(kCompareExamples);
  DeclareModel(app, options.first);
  app.add_option("SECOND", options.second, "The converted model")->type_name("");
  DeclareParams(app, options.params);
  opledger::UnderHeading(app, kModelHeading);
  app.add_option("--second-params", options.second_params, "The parameters of an MXNet SECOND")
      ->type_name("FILE");
  DeclareAutocast(
      app, options.autocast,
      "Compare MODEL itself, run by a precision list, instead of a second model: float16 or "
      "bfloat16");
  DeclareInputs(app, options.inputs);
  DeclareInputsFrom(
      app, options.inputs,
      "Compare on each subfolder, which holds the inputs as NAME.npy; the largest errors count");
  opledger::UnderHeading(app, kResultHeading);
  opledger::TakesNonNegative(
      app.add_option("--max-error", options.max_error,
                     "Fail if an output is off by more than this fraction of its largest element")
          ->type_name("E"));
  opledger::TakesNonNegative(
      app.add_option("--worst", options.worst, "Number of nodes to show; default: 10, 0: all")
          ->type_name("N"));
  DeclareKernels(app, options.kernels,
                 "Kernels that compute the outputs: fast (default), as in `opledger run`; or "
                 "reference. Nodes are always compared with the reference kernels");
  DeclareReport(app, options.format, options.output);
  DeclareTimeLimit(app, options.seconds,
                   "End a comparison after this many seconds; Ctrl-C also ends it");
  app.add_flag("--verifies", options.verifies, "For opledger convert: SECOND is new")->group("");
}

constexpr const char* kBenchExamples =
    "Examples:\n"
    "  opledger bench model.onnx --onnxruntime python3\n"
    "      float32, float16 and bfloat16 by the shipped lists, and ONNX Runtime, on one thread\n"
    "  opledger bench model.onnx --threads 0 --input-shape x=8,3,224,224 --by-kernel\n"
    "      a batch of eight on all processors; where the time goes\n"
    "  opledger bench --suite suite.json --onnxruntime python3\n"
    "      families of models: runs, plans, memory, their ratios, and bars met or missed\n"
    "Times are medians of one run, on random inputs if none are given: CPU time with one thread,\n"
    "elapsed time with several threads or on a GPU.\n"
    "Exit status: 0 done, 1 a bar of the suite is missed, 2 a model could not be run.";

void Declare(CLI::App& app, opledger::BenchOptions& options) {
  app.footer(kBenchExamples);
  app.add_option("MODEL", options.models, "float32 models: ONNX, or MXNet symbols")->type_name("");
  opledger::UnderHeading(app, kModelHeading);
  app.add_option("--suite", options.suite,
                 "Measure the families of models in this file, and check its bars")
      ->type_name("FILE");
  DeclareInputs(app, options.inputs);
  opledger::UnderHeading(app, kWayHeading);
  app.add_option("--list", options.list, "The precision list; default: the shipped ones")
      ->type_name("FILE");
  app.add_option("--onnxruntime", options.onnxruntime,
                 "Also measure ONNX Runtime, by a Python program that has it")
      ->type_name("PYTHON");
  DeclareThreads(app, options.threads, "Default: 1; 0: one for each processor");
  opledger::TakesNonNegative(
      app.add_option("--runs", options.runs, "Number of runs; default: 10")->type_name("N"));
  DeclareDevice(app, options.device);
  opledger::UnderHeading(app, kResultHeading);
  app.add_flag("--by-kernel", options.by_kernel,
               "Show the time of each kernel, and why preferred implementations refused");
  DeclareParams(app, options.params);
  DeclareReport(app, options.format, options.output);
}

// For programs, so no help lists it.
void Declare(CLI::App& app, opledger::WorkerOptions& options) {
  DeclareModel(app, options.model.path);
  DeclareParams(app, options.model.params);
  DeclareInputs(app, options.model.inputs);
  DeclareAutocast(app, options.autocast, "Run the model by a precision list");
  DeclareDevice(app, options.device);
  DeclareThreads(app, options.threads, "Number of threads");
  app.add_option("--new-shape", options.model.new_shapes)->allow_extra_args(false);
}

constexpr const char* kCharacterizeExamples =
    "Examples:\n"
    "  opledger characterize -o evidence.json\n"
    "      every kernel in both types: the policy that its errors suggest, and how far each\n"
    "      shipped list agrees\n"
    "  opledger characterize --operators '^Reduce' --list float16.json --target-dtype float16\n"
    "      where a list says otherwise, and why\n"
    "Exit status: 0 done, 2 could not measure.";

void Declare(CLI::App& app, opledger::CharacterizeOptions& options) {
  app.footer(kCharacterizeExamples);
  DeclareTargetDtype(app, options.target_dtype, "One type only; default: both");
  app.add_option("--operators", options.operators,
                 "Only kernels whose names match this regular expression (RE2 syntax)")
      ->type_name("REGEX");
  app.add_option("--list", options.list,
                 "Show where this precision list differs, instead of how far all shipped lists "
                 "agree")
      ->type_name("FILE");
  DeclareKernels(app, options.kernels,
                 "fast (default): the fastest kernels for this machine; or reference");
  app.add_flag("--speed", options.speed,
               "Also measure CPU times, which differ from run to run, unlike everything else");
  opledger::UnderHeading(app, kResultHeading);
  app.add_option("-o,--output", options.output,
                 "Write all measurements, for `opledger check --evidence`")
      ->type_name("FILE");
}

constexpr const char* kTuneExamples =
    "Examples:\n"
    "  opledger tune model.onnx --input x=x.npy --max-error 1e-3 -o overrides.json\n"
    "  opledger convert model.onnx -o mixed.onnx --list overrides.json --verify --input x=x.npy\n"
    "      the same model with as few nodes in float32 as are needed on this input\n"
    "  opledger tune model.onnx --inputs-from samples --max-error 1e-2 -o overrides.json\n"
    "      keeps the error below on every sample, and reports it on samples left out\n"
    "  opledger tune model.onnx --target-dtype bfloat16 --max-error 1e-2 -o overrides.json\n"
    "      for bfloat16, on random inputs\n"
    "Exit status: 0 done, 1 no set of nodes is enough, 2 could not run, 3 stopped before anything "
    "was\n"
    "measured: the list keeps all nodes in float32.";

void Declare(CLI::App& app, opledger::TuneOptions& options) {
  app.footer(kTuneExamples);
  DeclareModel(app, options.model);
  DeclareParams(app, options.params);
  opledger::UnderHeading(app, kResultHeading);
  opledger::TakesNonNegative(
      app.add_option("--max-error", options.max_error,
                     "The largest error of an output, as a fraction of its largest element")
          ->required()
          ->type_name("E"));
  app.add_option("-o,--output", options.output, "The list to write, for `opledger convert --list`")
      ->required()
      ->type_name("FILE");
  DeclareTargetDtype(app, options.autocast.dtype, "float16 (default) or bfloat16");
  app.add_option("--list", options.autocast.list,
                 "The precision list to start with; default: the shipped one")
      ->type_name("FILE");
  DeclareHazards(app, options.autocast, nullptr);
  DeclareInputs(app, options.inputs);
  DeclareInputsFrom(app, options.inputs,
                    "Keep the bound on each subfolder, which holds the inputs as NAME.npy; then "
                    "tune without some of them, and report the error on those");
  opledger::UnderHeading(app, kWayHeading);
  app.add_flag("--beyond-list", options.beyond_list,
               "Also run nodes low that the list keeps in float32, if the bound allows it, for the "
               "fewest casts");
  opledger::UnderHeading(app, kLimitHeading);
  opledger::TakesNonNegative(app.add_option("--time-budget", options.seconds,
                                            "End within this many seconds, with the best result so "
                                            "far; Ctrl-C and SIGTERM do the same")
                                 ->type_name("SECONDS"));
  DeclareKernels(app, options.kernels, "fast (default), as in `opledger run`; or reference");
  DeclareFormat(app, options.format);
}

// One verb of the front program.
struct Verb {
  const char* option;  // first argument of this program; "" for `run`
  const char* name;
  const char* about;
  int (*run)(const Verb& verb, const std::vector<std::string>& arguments);
};

// Enters a sandbox that allows only the files named in the options. Does nothing with a GPU driver
// or another runtime, whose files are unknown.
template <typename Options>
void KeepToFiles(const std::vector<std::string>& values, const Options& options) {
  std::vector<std::string> outputs;
  bool needs_more = false;
  if constexpr (requires { options.output; }) outputs.push_back(options.output);
  if constexpr (requires { options.write_plan; }) outputs.push_back(options.write_plan);
  if constexpr (requires { options.write_passes; }) outputs.push_back(options.write_passes);
  if constexpr (requires { options.device; }) needs_more = options.device != "cpu";
  // Bench starts processes, which enter their own sandboxes, and another runtime.
  if constexpr (requires { options.onnxruntime; }) needs_more = true;
  // A worker measures its own memory.
  if constexpr (std::is_same_v<Options, opledger::WorkerOptions>) {
    outputs.emplace_back("/proc/self/clear_refs");
  }
  if constexpr (requires { options.model.device; }) needs_more = options.model.device != "cpu";
  if (needs_more) return;
  const std::string cache = opledger::CacheFolderOf(opledger::kKernelsCache);
  opledger::Sandbox sandbox = opledger::SandboxOf(values, outputs, cache);
  if constexpr (requires { options.list; }) AddList(options.list, sandbox);
  if constexpr (requires { options.autocast.list; }) AddList(options.autocast.list, sandbox);
  if constexpr (requires { options.model.autocast.list; }) {
    AddList(options.model.autocast.list, sandbox);
  }
  sandbox.computes = true;
  EnterSandbox(sandbox);
}

// Parses the arguments of the verb, runs it and prints. `kDoes` returns the exit status.
template <auto kDoes, typename Options>
int RunVerb(const Verb& verb, const std::vector<std::string>& arguments) {
  Options options;
  CLI::App app(verb.about, std::string("opledger ") + verb.name);
  app.set_version_flag("--version", opledger::ProgramVersion);
  Declare(app, options);
  opledger::GlobalFlags flags;
  opledger::TakesGlobalFlags(app, flags);
  if (const auto end = opledger::ParseCommandLine(app, arguments)) return *end;
  if (const auto end = opledger::EnterFolders(flags)) return *end;
  KeepToFiles(opledger::ValuesOf(app), options);
  opledger::Diagnostics diagnostics;
  std::string text;
  const int status = kDoes(options, text, diagnostics);
  std::fputs(opledger::RenderDiagnostics(diagnostics).c_str(), stderr);
  bool is_told = true;
  if constexpr (requires { options.output; }) is_told = !flags.quiet || options.output.empty();
  bool is_taken = false;  // standard output is used for a file
  if constexpr (requires { options.output; }) is_taken = opledger::IsStandardOutput(options.output);
  if constexpr (requires { options.write_plan; }) {
    is_taken = is_taken || opledger::IsStandardOutput(options.write_plan);
  }
  if (status != 2 && status != 130 && is_told) {
    std::fputs(text.c_str(), is_taken ? stderr : stdout);
  }
  return status;
}

constexpr Verb kVerbs[] = {
    {"--compare", "compare", "Compares a model in lower precision with float64.",
     &RunVerb<opledger::Compare, opledger::CompareOptions>},
    {"--bench", "bench", "Measures how long models take in each precision.",
     &RunVerb<opledger::Bench, opledger::BenchOptions>},
    {"--bench-worker", "bench --worker", "Measures one way of running a model, on request.",
     &RunVerb<opledger::BenchWorker, opledger::WorkerOptions>},
    {"--characterize", "characterize", "Measures the kernels and recommends a policy for each.",
     &RunVerb<opledger::Characterize, opledger::CharacterizeOptions>},
    {"--tune", "tune", "Finds which nodes have to stay in float32.",
     &RunVerb<opledger::TuneModel, opledger::TuneOptions>},
    {"--serve", "run --serve", "Runs a model on request.",
     &RunVerb<opledger::Serve, opledger::ServeOptions>},
};
constexpr Verb kRun = {"", "run", "Runs a model with opledger's kernels.",
                       &RunVerb<opledger::Run, opledger::RunOptions>};

bool main_has_ended = false;

// If it cannot start a thread, OpenMP exits with 1, which some verbs use for their verdict.
void FailWithoutThreads(int status, void*) {
  if (main_has_ended || status != 1) return;
  std::fputs(
      "error: a thread could not be started\nhint: raise the limit of processes: ulimit -u\n",
      stderr);
  std::fflush(stderr);
  _exit(2);
}

int Run(const std::vector<std::string>& given) {
  std::vector<std::string> arguments = given;
  for (const Verb& verb : kVerbs) {
    if (arguments.empty() || arguments.front() != verb.option) continue;
    arguments.erase(arguments.begin());
    return verb.run(verb, arguments);
  }
  return kRun.run(kRun, arguments);
}

}  // namespace

int main(int argc, char** argv) {
  opledger::HoldStandardStreams();
  on_exit(&FailWithoutThreads, nullptr);
  opledger::PrepareForLimits(
      argv,
      "give --memory-limit, which refuses such a run before it starts, or raise the limit: "
      "ulimit -v");
  constexpr std::size_t kRoom = std::size_t{96} << 20;  // for threads' stacks and oneDNN's code
  opledger::RequireMemory(kRoom);
  opledger::LetOpenMpSleep(argv);
  const int status = opledger::CloseStandardOutput(Run({argv + std::min(argc, 1), argv + argc}));
  main_has_ended = true;
  return status;
}
