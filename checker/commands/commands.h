// The verbs of `opledger`: a file each, which declares what the verb takes and runs it, and a line
// each in commands.cpp. Only main.cpp parses command lines.
// May include: checker/candidates, checker/completion, checker/config, checker/docs, checker/edit,
// checker/filter, checker/git, checker/import, checker/lsp, checker/project, checker/reports,
// checker/rules, checker/terminal, registry/dialect, registry/files, registry/json,
// registry/list_source/names, registry/platform, registry/project, registry/text.
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

// An option of a verb, or an argument known by its place, and where its value goes.
struct VerbOption {
  std::string names;  // "-o,--output"; without '-': an argument
  std::string value;  // what help calls what it takes, "FILE"; of a flag or an argument empty
  std::string help;
  // A text, texts of an option that may be repeated, or a flag.
  std::variant<std::string*, std::vector<std::string>*, bool*> target;
  std::vector<std::string> choices = {};  // the only values; none: any
  bool required = false;
  bool commas = false;                                   // several texts at once, "A,B"
  std::string (*problem)(const std::string&) = nullptr;  // of a value; empty: none
  std::string group = {};                                // the heading of help; empty: "Options"
};

// A verb on one command line.
struct VerbCall {
  std::vector<VerbOption> options;
  std::function<int(const GlobalOptions&)> run;  // gives the exit status
};

// A verb that `run` runs, with what the command line sets in `options`. Where these have a place
// for the options of all verbs, `global`, it is filled in.
template <typename Options>
VerbCall MakeCall(std::shared_ptr<Options> options, std::vector<VerbOption> declared,
                  int (*run)(const Options&)) {
  return {std::move(declared), [options, run](const GlobalOptions& global) {
            if constexpr (requires { options->global; }) options->global = global;
            return run(*options);
          }};
}

// The program, beside this one, that runs a verb.
struct SiblingVerb {
  const char* program = nullptr;  // "opledger-convert"; none: the verb is ours
  const char* mode = nullptr;     // its first argument, where it has several verbs
};

struct Command {
  const char* name;
  const char* summary;              // one line
  const char* examples = nullptr;   // two worked ones, for --help; a sibling has its own
  VerbCall (*prepare)() = nullptr;  // of a verb of ours
  SiblingVerb sibling = {};         // everything after the verb is its
  const char* group = nullptr;      // the heading of help that it stands under
};

// `opledger __complete WORD...`: called by shells, not shown in the help. The first of `verbs` has
// no name and holds what stands before a verb; options of siblings are looked up.
int PrintCompletions(std::vector<VerbSyntax> verbs, const std::vector<std::string>& words);

const std::vector<Command>& Commands();
std::vector<std::string> SiblingPrograms();  // of all verbs
const Command* FindCommand(std::string_view name);

}  // namespace opledger
