// The program beside this one, never one of PATH, never through a shell.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/verify.h"

#include <unistd.h>

#include "conversion/edit/mxnet_output.h"
#include "conversion/model/mxnet/mxnet_symbol.h"
#include "registry/platform/platform.h"

namespace opledger {
namespace {

constexpr const char* kRunner = "opledger-run";

bool IsMxnet(const std::string& model) {
  Diagnostics ignored;
  const auto file = SourceFile::Open(model, ignored);
  return file && IsMxnetSymbol(file->bytes());
}

}  // namespace

void CheckVerification(const ConvertOptions& options, Diagnostics& diagnostics) {
  if (!options.verify) return;
  if (options.dry_run) {
    diagnostics.Error({}, "--verify runs the model that is written, and none is",
                      "leave out --dry-run; with --explain, name a model with -o");
  }
  if (access(SiblingProgram(kRunner).c_str(), X_OK) != 0) {
    diagnostics.Error({.path = SiblingProgram(kRunner)},
                      "--verify needs this program, which is "
                      "not there",
                      "install it beside opledger-convert, or leave out --verify");
  }
}

void BecomeVerification(const ConvertOptions& options, Diagnostics& diagnostics) {
  std::vector<std::string> words = {"--compare", options.model};
  if (IsMxnet(options.model)) {
    words.push_back(MxnetSymbolPath(options.output));
    if (!options.params.empty()) {
      words.insert(words.end(), {"--params", options.params, "--second-params",
                                 MxnetParamsPath(options.output, options.params)});
    }
  } else {
    words.push_back(options.output);
  }
  for (const std::string& input : options.inputs) words.insert(words.end(), {"--input", input});
  for (const std::string& shape : options.input_shapes) {
    words.insert(words.end(), {"--input-shape", shape});
  }
  if (!options.max_error.empty()) words.insert(words.end(), {"--max-error", options.max_error});
  ExecSibling(kRunner, words, diagnostics);
}

}  // namespace opledger
