// opledger lsp: serves findings, hovers, completions and fixes to editors.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/lsp.h"

#include <memory>

#include "checker/commands/commands.h"
#include "checker/commands/shared_options.h"

namespace opledger {
namespace {

struct LspOptions : CheckOptions {
  bool stdio = false;
};

int RunLsp(const LspOptions& options) { return RunLanguageServer(options); }

VerbCall PrepareLsp() {
  auto options = std::make_shared<LspOptions>();
  std::vector<VerbOption> shared = SelectionOptions(*options);
  shared.erase(shared.begin());  // drops PATH: editors name the files themselves
  return MakeCall(
      options,
      Joined(
          std::move(shared),
          {{"--against", "REV",
            "A git revision: also show what is new since HEAD branched off from it; 'none' to show "
            "nothing more; default: the upstream branch, otherwise HEAD",
            &options->against},
           {"--stdio", "", "No effect: the server always uses standard input and output",
            &options->stdio}}),
      RunLsp);
}

}  // namespace

extern const Command kLspCommand = {
    "lsp", "Serve editors by the Language Server Protocol, on standard input and output",
    "Examples:\n"
    "  opledger lsp\n"
    "      the command for an editor to run; checks the projects of its folders and open files,\n"
    "      including unsaved text\n"
    "  opledger lsp --configuration union --ignore stale-entry\n"
    "      takes the same options as `opledger check`\n"
    "Exit status: 0 after the editor sent 'shutdown', otherwise 1.",
    PrepareLsp};

}  // namespace opledger
