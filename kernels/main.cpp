// opledger-run: `opledger run` becomes it.
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>

#include "kernels/run.h"
#include "registry/command_line.h"
#include "registry/version.h"

namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  opledger run model.onnx --input x=x.npy -o out\n"
    "      writes each output as out/NAME.npy\n"
    "  opledger run model.onnx --input x=random --kernels reference --trace\n"
    "      every node with its kernel and the range of what it computed\n"
    "Exit status: 0 done, 2 could not run.";

void DeclareInputs(CLI::App& app, opledger::InputOptions& options) {
  app.add_option("--input", options.given, "An input: a .npy file, or random; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME=FILE");
  app.add_option("--input-shape", options.shapes,
                 "The shape of a random input that the model leaves open; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME=D,D");
}

void Declare(CLI::App& app, opledger::RunOptions& options) {
  app.footer(kExamples);
  app.add_option("MODEL", options.model, "The ONNX model")->type_name("");
  DeclareInputs(app, options.inputs);
  app.add_option("-o,--output", options.output, "The folder to write the outputs to, as NAME.npy")
      ->type_name("DIR");
  opledger::TakesOneOf(
      app.add_option("--kernels", options.kernels,
                     "fast (default): the best that this machine runs; or reference")
          ->type_name("KIND"),
      {"fast", "reference"});
  auto* autocast = app.add_option("--autocast", options.autocast,
                                  "Run a float32 model by a precision list, without converting it: "
                                  "float16 or bfloat16")
                       ->type_name("DTYPE");
  opledger::TakesOneOf(autocast, {"float16", "bfloat16"});
  app.add_option("--list", options.list,
                 "The precision list of --autocast; default: the shipped one")
      ->needs(autocast)
      ->type_name("FILE");
  app.add_flag("--trace", options.trace, "Say what each node ran on and what came out");
  opledger::TakesOneOf(
      app.add_option(
             "--list-kernels", options.list_kernels,
             "Run nothing; list the kernels of this program: text, or json, which `opledger "
             "check --operators` takes")
          ->type_name("FORMAT"),
      {"text", "json"});
}

}  // namespace

int main(int argc, char** argv) {
  opledger::RunOptions options;
  CLI::App app("Runs a model with opledger's kernels.", "opledger run");
  app.set_version_flag("--version", std::string("opledger-run ") + opledger::Version());
  Declare(app, options);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (const auto end = opledger::ParseCommandLine(app, arguments)) return *end;
  opledger::Diagnostics diagnostics;
  std::string text;
  const int status = opledger::Run(options, text, diagnostics);
  std::fputs(opledger::RenderDiagnostics(diagnostics).c_str(), stderr);
  if (status == 0) std::fputs(text.c_str(), stdout);
  return status;
}
