// opledger import: lists in Python or C++ source -> a precision list.
// SPDX-License-Identifier: Apache-2.0
#include "checker/import/import.h"

#include <cstdio>
#include <memory>

#include "checker/commands/commands.h"
#include "checker/terminal/terminal.h"

namespace opledger {
namespace {

VerbCall PrepareImport() {
  auto options = std::make_shared<ImportOptions>();
  VerbCall call;
  call.options = {
      {"FILE",
       "",
       "The Python or C++ file, or operators.json with policies in it",
       &options->file,
       {},
       true},
      {"--dialect", "NAME", "Of which framework; none: guess", &options->framework},
      {"--target-dtype",
       "DTYPE",
       "Of the list; none: guess",
       &options->target_dtype,
       {"float16", "bfloat16"}},
      {"--device", "NAME", "The device the list is for; none: guess", &options->device},
      {"--configuration", "NAME", "The build the list is for", &options->configuration},
      {"--bare", "", "Do not say where each entry stands in FILE", &options->bare},
      {"--map", "NAME=POLICY", "What a list in the file means; repeatable", &options->maps},
      {"-o", "FILE", "Where to write; none, or '-': standard output", &options->output}};
  call.run = [options](const GlobalOptions&) {
    std::string text;
    Diagnostics diagnostics;
    const int status = RunImport(*options, text, diagnostics);
    std::fwrite(text.data(), 1, text.size(), stdout);
    Show(diagnostics);
    return status;
  };
  return call;
}

}  // namespace

extern const Command kImportCommand = {
    "import", "Turn lists in Python or C++ source into precision lists",
    "Examples:\n"
    "  opledger import symbol_fp16.py --dialect mxnet --target-dtype float16 -o float16.json\n"
    "  opledger import symbol_bf16.py --dialect mxnet --target-dtype bfloat16 -o -",
    PrepareImport};

}  // namespace opledger
