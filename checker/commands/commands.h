// The verbs of `opledger`: one file each under commands/, listed in commands.cpp. main.cpp reads
// the command line into these structures, and has looked at what takes one of a few words
// (checker/commands/choices.h); nothing here knows how it was written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checker/project/check_options.h"
#include "checker/terminal/terminal.h"
#include "registry/platform/command_line.h"

namespace opledger {

int RunCheck(const CheckOptions& options);

struct BaselineOptions {
  CheckOptions check;
  std::string action;  // "write", "prune" or "show"
  bool add = false;    // of write: takes up new findings too
};
int RunBaseline(const BaselineOptions& options);

struct DiffOptions {
  CheckOptions check;
  std::string base;  // a git revision or a manifest
  std::string head;  // the same; empty: the tree as it is
  std::string format = "text";
};
int RunDiff(const DiffOptions& options);

struct ClassifyOptions {
  GlobalOptions global;
  std::string op;
  std::string policy;
  std::string list;
  std::string reason;
  std::string note;
  // Of --as conditional.
  std::string attribute;
  std::vector<std::string> values;
  std::string then;
  std::string otherwise;
};
int RunClassify(const ClassifyOptions& options);

struct InitOptions {
  GlobalOptions global;
  std::string dialect;
  bool pre_commit = false;  // add the hook, too
};
int RunInit(const InitOptions& options);

struct ExplainOptions {
  CheckOptions check;  // where operators are looked up
  std::string name;    // of a rule or an operator; empty: the table of rules
};
int RunExplain(const ExplainOptions& options);

struct DocsOptions {
  CheckOptions check;  // what there is to document
  std::string format;  // empty: by the name of the output, else md
  std::string output;  // file or folder; empty: the project file's, else standard output
  std::string source_url;
  bool check_only = false;
};
int RunDocs(const DocsOptions& options);

// The program, beside this one, that a verb is handed over to.
struct SiblingVerb {
  const char* program = nullptr;  // "opledger-convert"; none: the verb is ours
  const char* mode = nullptr;     // its first argument, where it has several verbs
};

struct ConfigOptions {
  CheckOptions check;
  std::string action;           // "show", "validate" or "schema"
  std::string schema = "list";  // which, of ConfigSchemaNames()
  bool with_ops = false;        // with the names of the operators
};
int RunConfig(const ConfigOptions& options);

struct DoctorOptions {
  GlobalOptions global;
  std::string format = "text";
  std::string output;  // empty, or "-": standard output
};
int RunDoctor(const DoctorOptions& options);

struct CompletionOptions {
  GlobalOptions global;
  std::string what;               // a shell, or "operators"
  std::vector<VerbSyntax> verbs;  // the first without a name: what stands before a verb
};
int RunCompletion(const CompletionOptions& options);

struct Command {
  const char* name;
  const char* summary;             // one line
  const char* examples = nullptr;  // two worked ones, for --help; a sibling has its own
  SiblingVerb sibling = {};        // everything behind the verb is its
};

const std::vector<Command>& Commands();
std::vector<std::string> SiblingPrograms();  // of all verbs
const Command* FindCommand(std::string_view name);

}  // namespace opledger
