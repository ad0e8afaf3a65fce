// opledger completion: what a shell needs to complete command lines, and the names of operators,
// for which its script asks while somebody types.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <set>

#include "checker/commands/commands.h"
#include "checker/project/project.h"
#include "checker/shells/shells.h"
#include "checker/terminal/terminal.h"
#include "registry/manifest/manifest.h"
#include "registry/platform/platform.h"

namespace opledger {
namespace {

constexpr const char* kManifestFile = "operators.json";

// A sibling that is not installed, or is of another build, leaves its verbs without completions.
void AskSiblings(std::vector<VerbSyntax>& verbs) {
  for (VerbSyntax& verb : verbs) {
    const Command* const command = FindCommand(verb.name);
    if (command == nullptr || command->sibling.program == nullptr) continue;
    std::vector<std::string> arguments;
    if (command->sibling.mode != nullptr) arguments.emplace_back(command->sibling.mode);
    arguments.emplace_back(kPrintSyntax);
    std::string output;
    Diagnostics ignored;
    const std::optional<int> status =
        RunSibling(command->sibling.program, arguments, output, ignored);
    if (status == kExitClean) verb.options = ReadSyntax(output).value_or(verb.options);
  }
}

// A name that would need quotes on a command line is not offered: it may come from a source tree
// that nobody has looked at yet.
bool IsPlain(std::string_view name) {
  if (name.empty() || name.front() == '-') return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && std::string_view("_.:/@+-").find(c) == std::string_view::npos) return false;
  }
  return true;
}

// From a manifest beside the project file; without one from the lists, which do not know what
// nobody has classified yet, but cost no scan while somebody types.
std::set<std::string> OperatorNames(const GlobalOptions& global) {
  Diagnostics ignored;
  std::set<std::string> names;
  const std::optional<Project> project = Project::Open(global.project_file, ".", ignored);
  if (!project) return names;
  std::error_code error;
  if (std::filesystem::exists(kManifestFile, error)) {
    const std::optional<Manifest> manifest = ReadManifest(kManifestFile, ignored);
    if (manifest) {
      for (const Operator& op : manifest->operators) names.emplace(op.name);
    }
  }
  if (!names.empty() || !project->file()) return names;
  for (const std::string& path : project->file()->lists) {
    if (!IsOfProject(path, *project, ignored)) continue;
    const std::optional<PrecisionList> list = ReadListOfProject(path, *project, ignored);
    if (!list) continue;
    for (const ListEntry& entry : list->entries) names.insert(entry.op);
  }
  return names;
}

}  // namespace

int RunCompletion(const CompletionOptions& options) {
  std::string text;
  if (const Shell* const shell = FindShell(options.what)) {
    std::vector<VerbSyntax> verbs = options.verbs;
    AskSiblings(verbs);
    text = shell->script(verbs);
  } else {
    for (const std::string& name : OperatorNames(options.global)) {
      if (IsPlain(name)) text += name + '\n';
    }
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kExitClean;
}

}  // namespace opledger
