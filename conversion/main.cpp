// opledger-convert: `opledger convert` becomes it.
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>

#include "conversion/conversion.h"
#include "conversion/verify.h"
#include "registry/platform/command_line.h"
#include "registry/project/version.h"

namespace {

using opledger::TakesOneOf;

constexpr const char* kExamples =
    "Examples:\n"
    "  opledger convert model.onnx -o mixed.onnx\n"
    "      float16 by the shipped list; inputs and outputs keep their types\n"
    "  opledger convert model.onnx -o mixed.onnx --target-dtype bfloat16 --exclude '^/head/'\n"
    "      bfloat16, and all nodes whose names begin with /head/ as they are\n"
    "  opledger convert model.onnx -o mixed.onnx --verify --input x=x.npy --max-error 1e-2\n"
    "      then runs both: the errors of the outputs, and the nodes that cause them\n"
    "Exit status: 0 done, 1 error above --max-error, 2 could not convert or verify.\n"
    "Nothing is written unless the result is a valid model.";

void DeclarePreparation(CLI::App& app, opledger::ConvertOptions& options) {
  app.add_flag("--inline-functions", options.inline_functions,
               "Inline the model's own functions, so that each call "
               "is placed on its own");
  app.add_flag("--cse", options.merge_duplicates,
               "Merge nodes that compute the same, and remove casts that change nothing");
}

void DeclareStorage(CLI::App& app, opledger::ConvertOptions& options) {
  app.add_option("--min-elements", options.min_elements,
                 "Nodes that must run in the target type stay float32 where their parameters have "
                 "fewer numbers than this")
      ->type_name("N");
  app.add_flag(
      "--storage-only", options.storage_only,
      "Weights (of at least --min-elements numbers) in the target type, each behind a cast; "
      "everything is computed in float32");
}

void DeclareVerification(CLI::App& app, opledger::ConvertOptions& options) {
  auto* verify = app.add_flag("--verify", options.verify,
                              "Then run both models and report the error of the new one, as "
                              "`opledger compare` does");
  app.add_option("--input", options.inputs,
                 "An input for --verify: a .npy file; the others are random; repeatable")
      ->allow_extra_args(false)
      ->needs(verify)
      ->type_name("NAME=FILE");
  opledger::TakesNonNegative(
      app.add_option(
             "--max-error", options.max_error,
             "With --verify: exit with 1 if the error of an output exceeds this fraction of "
             "its largest value")
          ->needs(verify)
          ->type_name("E"));
}

void DeclareMxnet(CLI::App& app, opledger::ConvertOptions& options) {
  app.add_option("--params", options.params, "MXNet: the model's .params or .npz file")
      ->type_name("FILE");
  app.add_flag("--cast-params-offline,!--cast-params-at-run-time", options.cast_params_offline,
               "MXNet: write parameters in 16 bits (default), or cast them as the model runs");
  app.add_option("--input-dtype", options.input_dtypes, "MXNet: the type of an input; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME=DTYPE");
  app.add_option("--param-dtype", options.param_dtypes,
                 "MXNet: the type of a parameter where no --params are given; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME=DTYPE");
}

void DeclarePolicies(CLI::App& app, opledger::ConvertOptions& options) {
  app.add_option("--list", options.list, "The precision list; default: the shipped one")
      ->type_name("FILE");
  const auto names = [&](const char* option, std::vector<std::string>& values, const char* help) {
    app.add_option(option, values, help)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("OP,OP");
  };
  names("--target-ops", options.target_ops, "Operators that run in the target type");
  names("--fp32-ops", options.fp32_ops, "Operators that stay float32");
  names("--widest-ops", options.widest_ops, "Operators that run in their inputs' widest type");
  app.add_option("--exclude", options.exclude,
                 "Nodes whose names this regular expression (RE2 syntax) matches, and what they "
                 "contain, stay unchanged; "
                 "repeatable")
      ->allow_extra_args(false)
      ->type_name("REGEX");
}

void Declare(CLI::App& app, opledger::ConvertOptions& options) {
  app.footer(kExamples);
  app.add_option("MODEL", options.model, "The ONNX model, or MXNet's symbol.json")
      ->required()
      ->type_name("");
  app.add_option("-o,--output", options.output,
                 "Where to write the converted model; of MXNet the prefix")
      ->type_name("FILE");
  TakesOneOf(app.add_option("--target-dtype", options.target_dtype,
                            "float16 (default) or bfloat16; float32 brings a 16-bit or mixed model "
                            "back")
                 ->type_name("DTYPE"),
             {"float16", "bfloat16", "float32"});
  DeclarePolicies(app, options);
  TakesOneOf(app.add_option("--io-types", options.io_types,
                            "Inputs and outputs of the model: keep (default), or low")
                 ->type_name("TYPES"),
             {"keep", "low"});
  TakesOneOf(app.add_option("--unlisted", options.unlisted,
                            "Operators in no list keep their types: error, warn (default) or "
                            "ignore")
                 ->type_name("HOW"),
             {"error", "warn", "ignore"});
  app.add_option(
         "--report", options.reports,
         "Write a report of what was done and why: FILE.json, or FILE.html, a page; repeatable")
      ->allow_extra_args(false)
      ->type_name("FILE");
  TakesOneOf(app.add_option("--cost", options.cost,
                            "What placement minimises: casts (default), or the bytes they read "
                            "and write")
                 ->type_name("COST"),
             {"casts", "bytes"});
  app.add_option("--input-shape", options.input_shapes,
                 "The shape of an input, for --cost bytes and --verify; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME=D,D");
  app.add_flag("--taint", options.taint,
               "Operators that may run in either type stay float32 downstream of float32 ones");
  app.add_option("--profile", options.profile,
                 "Keep nodes without a kernel in this runtime profile in float32: a file, or "
                 "onnxruntime-cpu")
      ->type_name("PROFILE");
  DeclareStorage(app, options);
  app.add_option("--sidecar", options.sidecar,
                 "Write what `opledger revert` needs to restore the model byte for byte")
      ->type_name("FILE");
  app.add_option("--explain", options.explain,
                 "Explain why this node (its name, or that of an output) runs in its type; "
                 "without -o, nothing is written")
      ->type_name("NODE");
  app.add_flag("--dry-run", options.dry_run, "Report what would be done, write nothing");
  DeclareVerification(app, options);
  DeclarePreparation(app, options);
  DeclareMxnet(app, options);
}

constexpr const char* kInspectExamples =
    "Examples:\n"
    "  opledger inspect model.onnx\n"
    "      operators with their types and policies, casts, parameters, external data\n"
    "  opledger inspect net-symbol.json --format json --target-dtype bfloat16\n"
    "      the same of an MXNet symbol, for a program, by the bfloat16 list";

void Declare(CLI::App& app, opledger::InspectOptions& options) {
  app.footer(kInspectExamples);
  app.add_option("MODEL", options.model, "The ONNX model, or MXNet's symbol file")
      ->required()
      ->type_name("");
  TakesOneOf(app.add_option("--target-dtype", options.target_dtype,
                            "The shipped list to use: float16 (default) or bfloat16")
                 ->type_name("DTYPE"),
             {"float16", "bfloat16"});
  app.add_option("--list", options.list, "The precision list; default: the shipped one")
      ->type_name("FILE");
  TakesOneOf(
      app.add_option("--format", options.format, "text (default) or json")->type_name("FORMAT"),
      {"text", "json"});
}

constexpr const char* kRevertExamples =
    "Examples:\n"
    "  opledger convert model.onnx -o mixed.onnx --sidecar mixed.sidecar\n"
    "  opledger revert mixed.onnx -o model.onnx --sidecar mixed.sidecar\n"
    "      the original, byte for byte\n"
    "  opledger revert mixed.onnx -o model.onnx\n"
    "      the original's graph; the weights stay rounded";

void Declare(CLI::App& app, opledger::RevertOptions& options) {
  app.footer(kRevertExamples);
  app.add_option("MODEL", options.model, "The converted model")->required()->type_name("");
  app.add_option("-o,--output", options.output, "Where to write the original; of MXNet the prefix")
      ->required()
      ->type_name("FILE");
  app.add_option("--params", options.params, "MXNet: the converted .params or .npz file")
      ->type_name("FILE");
  app.add_option("--sidecar", options.sidecar, "What `opledger convert --sidecar` wrote")
      ->type_name("FILE");
}

// None: go on; else the exit status.
template <typename T>
std::optional<int> Parse(CLI::App& app, T& options, int argc, char** argv) {
  app.set_version_flag("--version", std::string("opledger-convert ") + opledger::Version());
  Declare(app, options);
  return opledger::ParseCommandLine(app, std::vector<std::string>(argv + 1, argv + argc));
}

int Finish(int status, const std::string& text, const opledger::Diagnostics& diagnostics) {
  std::fputs(opledger::RenderDiagnostics(diagnostics).c_str(), stderr);
  if (status == 0) std::fputs(text.c_str(), stdout);
  return status;
}

int RunInspect(int argc, char** argv) {
  opledger::InspectOptions options;
  CLI::App app("Shows a model's operators, types and policies.", "opledger inspect");
  if (const auto end = Parse(app, options, argc, argv)) return *end;
  opledger::Diagnostics diagnostics;
  std::string text;
  const int status = opledger::Inspect(options, text, diagnostics);
  return Finish(status, text, diagnostics);
}

int RunRevert(int argc, char** argv) {
  opledger::RevertOptions options;
  CLI::App app("Restores the original of a converted model.", "opledger revert");
  if (const auto end = Parse(app, options, argc, argv)) return *end;
  opledger::Diagnostics diagnostics;
  std::string text;
  const int status = opledger::Revert(options, text, diagnostics);
  return Finish(status, text, diagnostics);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--inspect") return RunInspect(argc - 1, argv + 1);
  if (argc > 1 && std::string(argv[1]) == "--revert") return RunRevert(argc - 1, argv + 1);
  opledger::ConvertOptions options;
  CLI::App app("Converts a float32 model to mixed precision.", "opledger convert");
  if (const auto end = Parse(app, options, argc, argv)) return *end;
  opledger::Diagnostics diagnostics;
  if (options.output.empty() && !options.explain.empty()) options.dry_run = true;
  if (options.output.empty() && !options.dry_run) {
    diagnostics.Error({}, "no output file", "name it with -o, or use --dry-run");
  }
  if (!options.sidecar.empty() && options.dry_run) {
    diagnostics.Error({.path = options.sidecar}, "--sidecar needs a model that is written",
                      "leave out --dry-run, or --sidecar");
  }
  opledger::CheckVerification(options, diagnostics);
  std::string text;
  const int status = diagnostics.has_errors() ? 2 : opledger::Convert(options, text, diagnostics);
  const int end = Finish(status, text, diagnostics);
  if (end != 0 || !options.verify) return end;
  std::fflush(stdout);
  opledger::Diagnostics of_verification;
  opledger::BecomeVerification(options, of_verification);
  return Finish(2, {}, of_verification);
}
