// The program opledger-convert, which `opledger convert` executes.
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>

#include "conversion/conversion.h"
#include "conversion/verify.h"
#include "registry/files/files.h"
#include "registry/files/output_files.h"
#include "registry/platform/command_line.h"
#include "registry/platform/platform.h"
#include "registry/platform/process_limits.h"
#include "registry/platform/sandbox.h"
#include "registry/project/cache_folder.h"
#include "registry/project/version.h"

namespace opledger {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  opledger convert model.onnx -o mixed.onnx\n"
    "      float16 by the shipped list; inputs and outputs keep their types\n"
    "  opledger convert model.onnx -o mixed.onnx --target-dtype bfloat16 --exclude '^/head/'\n"
    "      bfloat16; nodes whose names begin with /head/ stay unchanged\n"
    "  opledger convert model.onnx -o mixed.onnx --verify --input x=x.npy --max-error 1e-2\n"
    "      then runs both models and reports the errors of the outputs and the nodes that cause "
    "them\n"
    "Exit status: 0 done, 1 error above --max-error or, with --strict, nothing to convert, 2 could "
    "not convert or verify.\n"
    "Nothing is written unless the result is a valid model.";

// Adds an option or argument that takes a value. A repeatable option takes one value each time.
template <typename T>
CLI::Option* Add(CLI::App& app, const char* names, T& target, const char* type, const char* help) {
  return app.add_option(names, target, help)->allow_extra_args(false)->type_name(type);
}

// Accepts "auto", "keep" or a number.
std::string CheckOpset(const std::string& text) {
  const bool number = !text.empty() && text.size() <= 4 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  return number || text == "auto" || text == "keep" ? "" : "give auto, keep or a number";
}

void DeclareDataRoot(CLI::App& app, std::string& data_root) {
  Add(app, "--data-root", data_root, "DIR",
      "ONNX: follow links to external data within this folder, as in caches of model hubs");
}

void DeclareOutput(CLI::App& app, ConvertOptions& options) {
  UnderHeading(app, "Output");
  Add(app, "-o,--output", options.output, "FILE",
      "Where to write the converted model; for MXNet, a prefix");
  app.add_flag("--in-place", options.in_place,
               "Allow -o to name the model itself, which is then replaced");
  Add(app, "--sidecar", options.sidecar, "FILE",
      "Write what `opledger revert` needs to restore the model byte for byte");
  Add(app, "--report", options.reports, "FILE",
      "Write a report of what was done and why to FILE.json or FILE.html; repeatable");
  app.add_flag("--dry-run", options.dry_run, "Report what would be done without writing anything");
  Add(app, "--explain", options.explain, "NODE",
      "Explain why this node (its name, or that of an output) runs in its type, and show the "
      "ranges of its inputs and outputs; without -o, nothing is written");
  app.add_flag("--strict", options.strict, "Exit with 1 if no node runs in the target type");
}

void DeclarePolicies(CLI::App& app, ConvertOptions& options) {
  UnderHeading(app, "What runs in which type");
  TakesOneOf(Add(app, "--target-dtype", options.target_dtype, "DTYPE",
                 "float16 (default) or bfloat16; float32 converts a 16-bit or mixed model back"),
             {"float16", "bfloat16", "float32"});
  Add(app, "--list", options.list, "FILE", "The precision list; default: the shipped one");
  const auto names = [&](const char* option, std::vector<std::string>& values, const char* help) {
    Add(app, option, values, "OP,OP", help)->delimiter(',');
  };
  names("--target-ops", options.target_ops, "Operators that run in the target type");
  names("--fp32-ops", options.fp32_ops, "Operators that stay float32");
  names("--widest-ops", options.widest_ops, "Operators that run in their inputs' widest type");
  Add(app, "--exclude", options.exclude, "REGEX",
      "Nodes whose names this regular expression (RE2 syntax) matches, and what they "
      "contain, stay unchanged; repeatable");
  TakesOneOf(
      Add(app, "--unlisted", options.unlisted, "HOW",
          "Operators that are not in the list keep their types: error, warn (default) or ignore"),
      {"error", "warn", "ignore"});
  Add(app, "--profile", options.profile, "PROFILE",
      "Keep nodes without a kernel in this runtime profile in float32: a file, or "
      "onnxruntime-cpu");
  auto* io_types = TakesOneOf(Add(app, "--io-types", options.io_types, "TYPES",
                                  "Inputs and outputs of the model: keep (default), or low"),
                              {"keep", "low"});
  Add(app, "--keep-io", options.keep_io, "NAME",
      "With --io-types low: an input or output that keeps its type; repeatable")
      ->needs(io_types);
}

void DeclarePlacement(CLI::App& app, ConvertOptions& options) {
  TakesOneOf(
      Add(app, "--hazards", options.hazards, "HOW",
          "What to do about nodes that would be inaccurate in 16 bits: raise (default) keeps "
          "them in float32, report only warns about them"),
      {"raise", "report"});
  TakesOneOf(Add(app, "--quantized-islands", options.quantized_islands, "HOW",
                 "Floats between quantized values: keep (default) leaves them in float32; convert "
                 "follows the list"),
             {"keep", "convert"});
  TakesOneOf(
      Add(app, "--small-constants", options.small_constants, "HOW",
          "Constants that would become zero in 16 bits: keep (default) keeps the nodes that they "
          "guard in float32; clamp raises them to the type's smallest number"),
      {"keep", "clamp"});
  Add(app, "--input-range", options.input_ranges, "NAME=LO,HI",
      "The range of an input, for the analysis of values; repeatable");
  UnderHeading(app, "Casts and weights");
  TakesOneOf(
      Add(app, "--cost", options.cost, "COST",
          "What placement minimizes: casts (default), or the bytes that they read and write"),
      {"casts", "bytes"});
  Add(app, "--input-shape", options.input_shapes, "NAME=D,D",
      "The shape of an input, for --cost bytes and --verify; repeatable");
  app.add_flag("--taint", options.taint,
               "Keep operators that may run in either type in float32 downstream of float32 ones");
  Add(app, "--min-elements", options.min_elements, "N",
      "Keep nodes that must run in the target type in float32 if their parameters have "
      "fewer elements than this");
  app.add_flag(
      "--storage-only", options.storage_only,
      "Store weights (of at least --min-elements elements) in the target type, each followed by a "
      "cast, and compute everything in float32");
}

void DeclarePreparation(CLI::App& app, ConvertOptions& options) {
  UnderHeading(app, "Before the conversion");
  Add(app, "--opset", options.opset, "OPSET",
      "ONNX: auto (default) raises the opset if the list needs it and every node allows it; "
      "keep leaves it unchanged; a number raises it to that opset")
      ->check(CheckOpset);
  app.add_flag("--inline-functions", options.inline_functions,
               "Inline the model's own functions, so that each call is placed on its own");
  app.add_flag("--cse", options.merge_duplicates,
               "Merge nodes that compute the same, and remove casts that change nothing");
  app.add_flag(
      "--fuse", options.fuse,
      "ONNX: replace nodes that together compute LayerNormalization, RMSNormalization, Gelu, "
      "Mish or Softmax by that operator, raising the opset if needed");
  DeclareDataRoot(app, options.data_root);
}

void DeclareVerification(CLI::App& app, ConvertOptions& options) {
  UnderHeading(app, "After the conversion");
  auto* verify = app.add_flag("--verify", options.verify,
                              "Then run both models and report the error of the new one, as "
                              "`opledger compare` does");
  Add(app, "--input", options.inputs, "NAME=FILE",
      "An input for --verify: a .npy file; the others are random; repeatable")
      ->needs(verify);
  Add(app, "--inputs-from", options.inputs_from, "DIR",
      "A folder of folders of inputs, NAME.npy: sets the ranges of inputs to those of the samples, "
      "extended by a quarter on each side, unless --input-range gives them; with --verify, both "
      "models run on each folder, and the largest errors count");
  TakesNonNegative(Add(app, "--max-error", options.max_error, "E",
                       "With --verify: exit with 1 if the error of an output exceeds this "
                       "fraction of its largest value")
                       ->needs(verify));
  TakesNonNegative(Add(app, "--time-limit", options.time_limit, "SECONDS",
                       "With --verify: end the verification after this many seconds, with exit "
                       "status 2; the converted model is kept")
                       ->needs(verify));
}

void DeclareMxnet(CLI::App& app, ConvertOptions& options) {
  UnderHeading(app, "MXNet");
  Add(app, "--params", options.params, "FILE", "MXNet: the model's .params or .npz file");
  app.add_flag("--cast-params-offline,!--cast-params-at-run-time", options.cast_params_offline,
               "MXNet: write parameters in 16 bits (default), or cast them at run time");
  Add(app, "--input-dtype", options.input_dtypes, "NAME=DTYPE",
      "MXNet: the type of an input; repeatable");
  Add(app, "--param-dtype", options.param_dtypes, "NAME=DTYPE",
      "MXNet: the type of a parameter if --params is not given; repeatable");
}

void Declare(CLI::App& app, ConvertOptions& options) {
  app.footer(kExamples);
  Add(app, "MODEL", options.model, "", "The ONNX model, or MXNet's symbol.json")->required();
  DeclareOutput(app, options);
  DeclarePolicies(app, options);
  DeclarePlacement(app, options);
  DeclarePreparation(app, options);
  DeclareVerification(app, options);
  DeclareMxnet(app, options);
}

constexpr const char* kInspectExamples =
    "Examples:\n"
    "  opledger inspect model.onnx\n"
    "      operators with their types and policies, casts, parameters, external data\n"
    "  opledger inspect net-symbol.json --format json --target-dtype bfloat16\n"
    "      the same for an MXNet symbol, as JSON and by the bfloat16 list\n"
    "  opledger inspect model.onnx --values --input-range x=0,1\n"
    "      the range of each value if x is between 0 and 1";

void Declare(CLI::App& app, InspectOptions& options) {
  app.footer(kInspectExamples);
  Add(app, "MODEL", options.model, "", "The ONNX model, or MXNet's symbol file")->required();
  DeclareDataRoot(app, options.data_root);
  TakesOneOf(Add(app, "--target-dtype", options.target_dtype, "DTYPE",
                 "The shipped list to use: float16 (default) or bfloat16"),
             {"float16", "bfloat16"});
  Add(app, "--list", options.list, "FILE", "The precision list; default: the shipped one");
  TakesOneOf(Add(app, "--format", options.format, "FORMAT", "text (default) or json"),
             {"text", "json"});
  auto* values = app.add_flag("--values", options.values,
                              "Show the range of each value, in float32 and converted");
  Add(app, "--input-range", options.input_ranges, "NAME=LO,HI",
      "With --values: the range of an input; repeatable")
      ->needs(values);
  Add(app, "--input-shape", options.input_shapes, "NAME=D,D",
      "With --values: the shape of an input; repeatable")
      ->needs(values);
  app.add_flag("--nodes", options.nodes,
               "Also show each node, with the facts that conditions of a list test");
  Add(app, "--params", options.params, "FILE",
      "MXNet: the model's .params or .npz file, for the shapes and elements of parameters");
}

constexpr const char* kRevertExamples =
    "Examples:\n"
    "  opledger convert model.onnx -o mixed.onnx --sidecar mixed.sidecar\n"
    "  opledger revert mixed.onnx -o model.onnx --sidecar mixed.sidecar\n"
    "      the original, byte for byte\n"
    "  opledger revert mixed.onnx -o model.onnx\n"
    "      the original's graph; the weights stay rounded";

void Declare(CLI::App& app, RevertOptions& options) {
  app.footer(kRevertExamples);
  Add(app, "MODEL", options.model, "", "The converted model")->required();
  Add(app, "-o,--output", options.output, "FILE",
      "Where to write the original; for MXNet, a prefix")
      ->required();
  Add(app, "--params", options.params, "FILE", "MXNet: the converted .params or .npz file");
  Add(app, "--sidecar", options.sidecar, "FILE", "What `opledger convert --sidecar` wrote");
  DeclareDataRoot(app, options.data_root);
  app.add_flag("--in-place", options.in_place,
               "Allow -o to name the model itself, which is then replaced");
}

// What the command line has besides the verb's own options.
struct Given {
  bool quiet = false;
  std::vector<std::string> values;  // from ValuesOf()
};

// Parses the command line and enters the folder of -C. Returns the exit status if the program
// should end, nullopt otherwise.
template <typename T>
std::optional<int> Parse(const char* name, const char* what, T& options, Given& given,
                         const std::vector<std::string>& arguments) {
  CLI::App app(what, name);
  app.set_version_flag("--version", std::string("opledger-convert ") + Version());
  Declare(app, options);
  GlobalFlags flags;
  TakesGlobalFlags(app, flags);
  if (const auto end = ParseCommandLine(app, arguments)) return end;
  given = {flags.quiet, ValuesOf(app)};
  return EnterFolders(flags);
}

// Prints the text to stderr if the model goes to standard output.
int Finish(int status, const std::string& text, const std::string& output,
           const Diagnostics& diagnostics) {
  std::fputs(RenderDiagnostics(diagnostics).c_str(), stderr);
  if (status != 2) std::fputs(text.c_str(), IsStandardOutput(output) ? stderr : stdout);
  return status;
}

template <typename T>
int Run(const char* name, const char* what, const std::vector<std::string>& arguments,
        int (*run)(const T&, std::string&, Diagnostics&)) {
  T options;
  Given given;
  if (const auto end = Parse(name, what, options, given, arguments)) return *end;
  std::string output;
  if constexpr (requires { options.output; }) output = options.output;
  Sandbox sandbox = SandboxOf(given.values, {output}, {});
  if constexpr (requires { options.list; }) AddList(options.list, sandbox);
  EnterSandbox(sandbox);
  Diagnostics diagnostics;
  std::string text;
  const int status = run(options, text, diagnostics);
  return Finish(status, given.quiet && !output.empty() ? "" : text, output, diagnostics);
}

// Restricts the process to the files it needs. --verify becomes opledger-run, which keeps a cache.
void KeepToFiles(const std::vector<std::string>& values, const ConvertOptions& options) {
  std::vector<std::string> outputs = {options.output, options.sidecar};
  for (const std::string& report : options.reports) {
    outputs.push_back(report.substr(report.find('=') + 1));
  }
  Sandbox sandbox =
      SandboxOf(values, outputs, options.verify ? CacheFolderOf(kKernelsCache) : std::string());
  AddList(options.list, sandbox);
  sandbox.becomes_program = options.verify;
  if (options.verify) {  // programs may load libraries from here
    for (const char* folder : {"/usr", "/lib", "/lib64", "/etc/ld.so.cache"}) {
      sandbox.read.emplace_back(folder);
    }
    sandbox.read.push_back(SiblingProgram(""));
    sandbox.read.push_back(SiblingProgram("../lib/libdnnl.so.3"));
  }
  EnterSandbox(sandbox);
}

void CheckSamples(const ConvertOptions& options, Diagnostics& diagnostics) {
  const std::string& folder = options.inputs_from;
  Diagnostic problem;
  if (folder.empty()) return;
  const std::vector<std::string> files = InputFiles({}, folder, &problem);
  if (!problem.message.empty()) return diagnostics.Add(problem);
  if (!files.empty()) return;
  diagnostics.Error({.path = folder}, "there is no folder of inputs in it",
                    "give --inputs-from a folder of folders of NAME.npy files");
}

int RunConvert(const std::vector<std::string>& arguments) {
  ConvertOptions options;
  Given given;
  if (const auto end = Parse("opledger convert", "Converts a float32 model to mixed precision.",
                             options, given, arguments)) {
    return *end;
  }
  Diagnostics diagnostics;
  if (options.output.empty() && !options.explain.empty()) options.dry_run = true;
  if (options.output.empty() && !options.dry_run) {
    diagnostics.Error({}, "no output file", "name it with -o, or use --dry-run");
  }
  if (!options.sidecar.empty() && options.dry_run) {
    diagnostics.Error({.path = options.sidecar}, "--sidecar needs a model that is written",
                      "leave out --dry-run, or --sidecar");
  }
  CheckSamples(options, diagnostics);
  CheckVerification(options, diagnostics);
  KeepToFiles(given.values, options);
  std::string text;
  const int status = diagnostics.has_errors() ? 2 : Convert(options, text, diagnostics);
  // --dry-run and --explain ask for the text, so --quiet does not suppress it.
  const bool is_told = !given.quiet || options.dry_run || !options.explain.empty();
  const int end = Finish(status, is_told ? text : "", options.output, diagnostics);
  if (end != 0 || !options.verify) return end;
  if (std::fflush(stdout) != 0) return end;  // main() reports the error
  Diagnostics of_verification;
  BecomeVerification(options, of_verification);
  return Finish(2, {}, {}, of_verification);
}

int Main(std::vector<std::string> arguments) {
  const std::string mode = arguments.empty() ? "" : arguments.front();
  if (mode != "--inspect" && mode != "--revert") return RunConvert(arguments);
  arguments.erase(arguments.begin());
  if (mode == "--inspect") {
    return Run("opledger inspect", "Shows a model's operators, types and policies.", arguments,
               Inspect);
  }
  return Run("opledger revert", "Restores the original of a converted model.", arguments, Revert);
}

}  // namespace
}  // namespace opledger

int main(int argc, char** argv) {
  opledger::HoldStandardStreams();
  opledger::PrepareForLimits(argv, "raise the limit of memory: ulimit -v");
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return opledger::CloseStandardOutput(opledger::Main(arguments));
}
