// The verbs of `opledger`. Each has a file, which declares its options and runs it, and a line in
// commands.cpp. Only main.cpp parses command lines.
// May include: checker/candidates, checker/completion, checker/config, checker/docs, checker/edit,
// checker/filter, checker/git, checker/import, checker/lsp, checker/project, checker/reports,
// checker/rules, checker/rules/evidence, checker/terminal, registry/dialect, registry/files,
// registry/json, registry/list_source/names, registry/platform, registry/project, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "checker/project/check_options.h"
#include "registry/platform/command_line.h"

namespace opledger {

// An option or a positional argument of a verb, and where its value is stored.
struct VerbOption {
  std::string names;  // "-o,--output"; a positional argument has no '-'
  std::string value;  // placeholder in help, such as "FILE"; empty for flags and arguments
  std::string help;
  // A value, the values of a repeatable option, or a flag.
  std::variant<std::string*, std::vector<std::string>*, bool*> target;
  std::vector<std::string> choices = {};  // the allowed values; empty: any
  bool required = false;
  bool commas = false;                                   // accepts several values as "A,B"
  std::string (*problem)(const std::string&) = nullptr;  // describes a bad value, or returns ""
  std::string group = {};                                // heading in help; empty: "Options"
};

// A verb as called on the command line.
struct VerbCall {
  std::vector<VerbOption> options;
  std::function<int(const GlobalOptions&)> run;  // returns the exit status
};

// Returns a call that runs `run` with `options`, which the command line fills in. Sets
// options->global if there is such a member.
template <typename Options>
VerbCall MakeCall(std::shared_ptr<Options> options, std::vector<VerbOption> declared,
                  int (*run)(const Options&)) {
  return {std::move(declared), [options, run](const GlobalOptions& global) {
            if constexpr (requires { options->global; }) options->global = global;
            return run(*options);
          }};
}

// The program in the same folder that runs a verb.
struct SiblingVerb {
  const char* program = nullptr;  // "opledger-convert"; nullptr: opledger runs the verb
  const char* mode = nullptr;     // its first argument, if it runs several verbs
};

struct Command {
  const char* name;
  const char* summary;              // one line
  const char* examples = nullptr;   // two examples for --help; siblings print their own
  VerbCall (*prepare)() = nullptr;  // nullptr for verbs of siblings
  SiblingVerb sibling = {};         // gets all arguments after the verb
  const char* group = nullptr;      // heading in help
};

// `opledger __complete WORD...`: called by completion scripts, not shown in help. The first of
// `verbs` has no name and holds the global options. Asks siblings for their options.
int PrintCompletions(std::vector<VerbSyntax> verbs, const std::vector<std::string>& words);

const std::vector<Command>& Commands();
std::vector<std::string> SiblingPrograms();  // without duplicates
// Returns nullptr if there is no such verb.
const Command* FindCommand(std::string_view name);

}  // namespace opledger
