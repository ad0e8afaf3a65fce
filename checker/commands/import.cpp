// opledger import: turns lists in Python or C++ source into a precision list.
// SPDX-License-Identifier: Apache-2.0
#include "checker/import/import.h"

#include <memory>

#include "checker/commands/commands.h"
#include "checker/terminal/terminal.h"
#include "registry/dialect/dialect.h"

namespace opledger {
namespace {

int ImportFile(const ImportOptions& given) {
  ImportOptions options = given;
  std::string text;
  Diagnostics diagnostics;
  // For a dialect file, the list is for the framework that it names.
  if (options.framework.find('/') != std::string::npos || options.framework.ends_with(".json")) {
    std::optional<Dialect> dialect =
        ReadDialect(DiskSource(), options.framework, Reach::kAnywhere, diagnostics);
    if (!dialect) {
      Show(diagnostics);
      return 2;
    }
    options.framework = dialect->name;
  }
  const int status = RunImport(options, text, diagnostics);
  Print(text);
  Show(diagnostics);
  return status;
}

VerbCall PrepareImport() {
  auto options = std::make_shared<ImportOptions>();
  return MakeCall(
      options,
      {{"FILE",
        "",
        "The Python or C++ file, or operators.json with policies in it",
        &options->file,
        {},
        true},
       {"--dialect", "NAME|FILE", "The framework; default: guessed", &options->framework},
       {"--target-dtype",
        "DTYPE",
        "The 16-bit type of the list; default: guessed",
        &options->target_dtype,
        {"float16", "bfloat16"}},
       {"--device", "NAME", "The device of the list; default: guessed", &options->device},
       {"--configuration", "NAME", "The configuration of the list", &options->configuration},
       {"--bare", "", "Do not note the line of each entry in FILE", &options->bare},
       {"--map", "NAME=POLICY", "The policy of a list in the file; repeatable", &options->maps},
       {"-o", "FILE", "The output file; default, or '-': standard output", &options->output}},
      ImportFile);
}

}  // namespace

extern const Command kImportCommand = {
    "import", "Turn lists in Python or C++ source into precision lists",
    "Examples:\n"
    "  opledger import symbol_fp16.py --dialect mxnet --target-dtype float16 -o float16.json\n"
    "  opledger import symbol_bf16.py --dialect mxnet --target-dtype bfloat16 -o -",
    PrepareImport};

}  // namespace opledger
