// opledger: the main program. Parses the options of one verb and runs it; hands `scan`, `convert`
// and other verbs to sibling programs, which take the same global flags. The only file of checker/
// that uses CLI11.
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "checker/commands/commands.h"
#include "checker/commands/next_steps.h"
#include "checker/config/version_report.h"
#include "checker/terminal/terminal.h"
#include "registry/files/files.h"
#include "registry/platform/command_line.h"
#include "registry/platform/platform.h"
#include "registry/platform/process_limits.h"
#include "registry/platform/run_git.h"
#include "registry/precision_list/precision_list.h"
#include "registry/project/project.h"
#include "registry/project/runner.h"
#include "registry/project/version.h"
#include "registry/source/disk_tree.h"
#include "registry/text/suggestion.h"

namespace opledger {
namespace {

constexpr const char* kCompleteVerb = "__complete";
constexpr const char* kJson = "--json";

// A repeatable option takes one value at a time. Otherwise CLI11 would also take the paths that
// follow.
void AddOption(CLI::App& app, const VerbOption& option) {
  if (bool* const* flag = std::get_if<bool*>(&option.target)) {
    CLI::Option* const added = app.add_flag(option.names, **flag, option.help);
    if (!option.group.empty()) added->group(option.group);
    return;
  }
  CLI::Option* added = nullptr;
  if (std::string* const* text = std::get_if<std::string*>(&option.target)) {
    added = app.add_option(option.names, **text, option.help);
  } else {
    added = app.add_option(option.names, **std::get_if<std::vector<std::string>*>(&option.target),
                           option.help);
    if (option.names.starts_with('-')) added->allow_extra_args(false);
  }
  added->type_name(option.value)->required(option.required);
  if (!option.group.empty()) added->group(option.group);
  if (option.commas) added->delimiter(',');
  if (!option.choices.empty()) TakesOneOf(added, option.choices);
  if (option.problem != nullptr) added->check(CLI::Validator(option.problem, ""));
}

// CLI11 reports the version when it reaches the flag, so --json is looked up in all words.
void AddGlobal(CLI::App& app, GlobalFlags& flags, const std::vector<std::string>& words = {}) {
  TakesGlobalFlags(app, flags, "Options");
  const bool as_json = std::find(words.begin(), words.end(), kJson) != words.end();
  app.set_version_flag("--version", [as_json] {
    return as_json ? VersionJson() : std::string("opledger ") + Version();
  });
  app.add_flag_callback(
      kJson, [] {}, "With --version: the versions of all parts, as JSON");
}

// Declares every verb for the help, and returns the options and the function of each.
std::map<std::string, VerbCall> AddVerbs(CLI::App& app) {
  std::map<std::string, VerbCall> calls;
  for (const Command& command : Commands()) {
    CLI::App& verb = *app.add_subcommand(command.name, command.summary);
    verb.group(command.group);
    if (command.prepare == nullptr) continue;
    verb.footer(
        std::string(command.examples) +
        "\nEvery verb takes -C DIR, --config FILE, --color WHEN, -q, --git-timeout SECONDS\n"
        "and --lock-timeout SECONDS: see `opledger --help`.");
    VerbCall& call = calls[command.name] = command.prepare();
    for (const VerbOption& option : call.options) AddOption(verb, option);
  }
  return calls;
}

// Prefers the flag, then the environment variable, then the nearest project file.
void ChooseProjectFile(GlobalOptions& global) {
  if (!global.project_file.empty()) return;
  global.project_file = ProjectFileOfEnvironment();
  if (!global.project_file.empty()) global.project_file_from = kProjectFileVariable;
}

// Returns the exit status of a verb that returned `status`. Fails if git did not answer, because
// the output is then not what was asked for.
int EndWithGit(int status) {
  const std::optional<Diagnostic> trouble = GitTrouble();
  if (!trouble || (status != kExitClean && status != kExitFindings)) return status;
  Diagnostics diagnostics;
  diagnostics.Add(*trouble);
  return Fail(diagnostics);
}

// Returns the global options, then the verbs; siblings without their options.
std::vector<VerbSyntax> Verbs(const CLI::App& app) {
  std::vector<VerbSyntax> verbs = {{"", "", SyntaxOf(app), true}};
  const std::vector<OptionSyntax> common = verbs.front().options;
  for (const Command& command : Commands()) {
    const bool ours = command.sibling.program == nullptr;
    VerbSyntax& verb = verbs.emplace_back(VerbSyntax{command.name, command.summary, {}, ours});
    if (!ours) continue;
    for (OptionSyntax& option : SyntaxOf(*app.get_subcommand(command.name))) {
      const bool is_help = option.names == common.front().names;
      if (!is_help) verb.options.push_back(std::move(option));
    }
  }
  return verbs;
}

int ParseAndRun(const std::vector<std::string>& arguments, const std::string& verb) {
  GlobalFlags flags;
  CLI::App app("Checks which operators exist, and in which precision each may run.", "opledger");
  app.get_formatter()->column_width(36);
  app.get_formatter()->label("SUBCOMMAND", "VERB");
  app.fallthrough();
  app.require_subcommand(0, 1);
  app.footer("`opledger help VERB` shows the options of a verb, with examples.");
  AddGlobal(app, flags, arguments);
  const std::map<std::string, VerbCall> calls = AddVerbs(app);
  if (verb == kCompleteVerb) {
    return PrintCompletions(Verbs(app), {arguments.begin() + 1, arguments.end()});
  }
  if (const std::optional<int> end = ParseCommandLine(app, arguments, verb)) return *end;
  if (app.count(kJson) > 0) {
    return UsageError("--json needs --version", "opledger --version --json");
  }
  GlobalOptions global;
  global.project_file = flags.project_file;
  global.color = flags.color;
  global.quiet = flags.quiet;
  ChooseProjectFile(global);
  if (const std::optional<int> end = EnterFolders(flags)) return *end;
  Diagnostics diagnostics;
  std::optional<Source> here = CurrentSource(diagnostics);
  if (!here) return Fail(diagnostics);
  global.here = std::move(*here);
  if (!verb.empty()) return EndWithGit(calls.at(verb).run(global));
  std::fputs(app.help().c_str(), stdout);
  if (!global.quiet) std::fputs(('\n' + NextSteps(global)).c_str(), stdout);
  return kExitClean;
}

// Returns "-C", "--config" and other global flags whose next word is a value.
std::vector<std::string> GlobalFlagsWithValues() {
  GlobalFlags flags;
  CLI::App app;
  AddGlobal(app, flags);
  std::vector<std::string> names;
  for (const OptionSyntax& option : SyntaxOf(app)) {
    if (option.value.empty()) continue;
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// Returns the position of the verb, or arguments.size() if there is none. CLI11 would take a
// misspelled verb for a path.
std::size_t FindVerb(const std::vector<std::string>& arguments) {
  static const std::vector<std::string> kTakeValues = GlobalFlagsWithValues();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (std::find(kTakeValues.begin(), kTakeValues.end(), word) != kTakeValues.end()) {
      ++i;
    } else if (!word.starts_with('-')) {
      return i;
    }
  }
  return arguments.size();
}

// Passes everything but the verb to the sibling, which takes the same global flags.
int HandOver(const SiblingVerb& sibling, std::vector<std::string> arguments, std::size_t verb) {
  arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(verb));
  if (sibling.mode != nullptr) arguments.insert(arguments.begin(), sibling.mode);
  Diagnostics diagnostics;
  const std::string program = sibling.program;
  ExecSibling(program == kRunner ? ChooseRunner() : program, arguments, diagnostics);
  return Fail(diagnostics);
}

// Turns `help VERB` into `VERB --help`.
std::vector<std::string> WithoutHelpVerb(std::vector<std::string> arguments) {
  const std::size_t place = FindVerb(arguments);
  if (place == arguments.size() || arguments[place] != "help") return arguments;
  arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(place));
  arguments.emplace_back("--help");
  return arguments;
}

int Main(const std::vector<std::string>& words) {
  const std::vector<std::string> arguments = WithoutHelpVerb(words);
  const std::size_t place = FindVerb(arguments);
  if (place == arguments.size()) return ParseAndRun(arguments, "");
  const std::string& verb = arguments[place];
  if (place == 0 && verb == kCompleteVerb) return ParseAndRun(arguments, verb);
  const Command* command = FindCommand(verb);
  if (command == nullptr) {
    std::vector<std::string> names;
    for (const Command& each : Commands()) names.emplace_back(each.name);
    const std::string hint = Proposal(verb, names);
    return UsageError("unknown verb '" + verb + "'",
                      hint.empty() ? "`opledger --help` lists the verbs" : hint);
  }
  const bool ours = command->sibling.program == nullptr;
  return ours ? ParseAndRun(arguments, verb) : HandOver(command->sibling, arguments, place);
}

}  // namespace
}  // namespace opledger

int main(int argc, char** argv) {
  opledger::HoldStandardStreams();
  opledger::PrepareForLimits(argv, "raise the limit of memory: ulimit -v");
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return opledger::CloseStandardOutput(opledger::Main(arguments));
}
