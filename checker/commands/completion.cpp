// opledger completion: prints completion scripts or the names of operators. Also answers the hidden
// verb `opledger __complete`, which the scripts call.
// SPDX-License-Identifier: Apache-2.0
#include "checker/completion/completion.h"

#include <memory>

#include "checker/commands/commands.h"
#include "checker/terminal/terminal.h"
#include "registry/platform/platform.h"
#include "registry/platform/run_git.h"

namespace opledger {
namespace {

constexpr double kPatience = 5;  // seconds that a user at a prompt may have to wait

// Returns nothing if the sibling is not installed or is of another build.
std::vector<OptionSyntax> SiblingSyntax(const SiblingVerb& sibling) {
  std::vector<std::string> arguments;
  if (sibling.mode != nullptr) arguments.emplace_back(sibling.mode);
  arguments.emplace_back(kPrintSyntax);
  std::string output;
  Diagnostics ignored;
  SiblingStreams streams;
  streams.limit.seconds = kPatience;
  const std::optional<int> status =
      RunSibling(sibling.program, arguments, output, ignored, streams);
  return status == kExitClean ? ReadSyntax(output).value_or(std::vector<OptionSyntax>())
                              : std::vector<OptionSyntax>();
}

VerbCall PrepareCompletion() {
  auto what = std::make_shared<std::string>();
  VerbCall call;
  call.options = {{"SHELL", "", "The shell", what.get(), {"bash", "zsh", "operators"}, true}};
  call.run = [what](const GlobalOptions& global) {
    if (*what == "operators") {
      for (const std::string& name : OperatorNames(global)) Print(name + '\n');
    } else {
      Print(CompletionScript(*what));
    }
    return kExitClean;
  };
  return call;
}

}  // namespace

int PrintCompletions(std::vector<VerbSyntax> verbs, const std::vector<std::string>& words) {
  SetGitTimeout(kPatience);
  const Command* const command = FindCommand(VerbAmong(verbs.front(), words));
  if (command != nullptr && command->sibling.program != nullptr) {
    for (VerbSyntax& verb : verbs) {
      if (verb.name == command->name) verb.options = SiblingSyntax(command->sibling);
    }
  }
  Print(Complete(verbs, words));
  return kExitClean;
}

extern const Command kCompletionCommand = {
    "completion", "Print the completion script for bash or zsh",
    "Examples:\n"
    "  opledger completion bash > ~/.local/share/bash-completion/completions/opledger\n"
    "  opledger completion zsh > ~/.zfunc/_opledger\n"
    "      with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc\n"
    "`operators` prints the names that the scripts offer: those of operators.json next to\n"
    "opledger.json, otherwise those of its lists.",
    PrepareCompletion};

}  // namespace opledger
