// Replaces this process by the opledger-run next to it. Neither PATH nor a shell is used.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/verify.h"

#include <unistd.h>

#include "conversion/formats/formats.h"
#include "registry/platform/platform.h"
#include "registry/project/runner.h"

namespace opledger {

void CheckVerification(const ConvertOptions& options, Diagnostics& diagnostics) {
  if (!options.verify) return;
  if (options.dry_run) {
    diagnostics.Error({}, "--verify runs the converted model, but none is written",
                      "leave out --dry-run; with --explain, name a model with -o");
  }
  if (access(SiblingProgram(kRunner).c_str(), X_OK) != 0) {
    diagnostics.Error({.path = SiblingProgram(kRunner)},
                      "--verify needs this program, which is "
                      "missing",
                      "install it next to opledger-convert, or leave out --verify");
  }
}

void BecomeVerification(const ConvertOptions& options, Diagnostics& diagnostics) {
  std::vector<std::string> words = {"--compare", options.model};
  const auto file = SourceFile::Open(options.model, diagnostics);
  if (!file) return;
  const Format& format = FindFormat(*file);
  words.push_back(format.model_path(options.output));
  if (format.has_params && !options.params.empty()) {
    words.insert(words.end(), {"--params", options.params, "--second-params",
                               format.params_path(options.output, options.params)});
  }
  if (!options.data_root.empty()) words.insert(words.end(), {"--data-root", options.data_root});
  for (const std::string& input : options.inputs) words.insert(words.end(), {"--input", input});
  if (!options.inputs_from.empty()) {
    words.insert(words.end(), {"--inputs-from", options.inputs_from});
  }
  for (const std::string& shape : options.input_shapes) {
    words.insert(words.end(), {"--input-shape", shape});
  }
  if (!options.max_error.empty()) words.insert(words.end(), {"--max-error", options.max_error});
  if (!options.time_limit.empty()) words.insert(words.end(), {"--time-limit", options.time_limit});
  words.emplace_back("--verifies");
  ExecSibling(ChooseRunner(), words, diagnostics);
}

}  // namespace opledger
