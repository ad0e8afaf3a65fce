// The table of verbs, in the order and under the headings of the help.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands/commands.h"

#include <algorithm>

namespace opledger {

// Each is defined in the file of its name in this folder.
extern const Command kCheckCommand;
extern const Command kBaselineCommand;
extern const Command kDiffCommand;
extern const Command kClassifyCommand;
extern const Command kExplainCommand;
extern const Command kInitCommand;
extern const Command kDocsCommand;
extern const Command kImportCommand;
extern const Command kListsCommand;
extern const Command kConfigCommand;
extern const Command kDoctorCommand;
extern const Command kCompletionCommand;
extern const Command kHistoryCommand;
extern const Command kLspCommand;

namespace {

struct VerbGroup {
  const char* heading;
  std::vector<Command> verbs;
};

Command HandedOver(const char* name, const char* summary, const char* program,
                   const char* mode = nullptr) {
  return {name, summary, nullptr, nullptr, {program, mode}};
}

const std::vector<VerbGroup>& VerbGroups() {
  static const std::vector<VerbGroup> groups = {
      {"Start here",
       {
           kInitCommand,
           kConfigCommand,
           kDoctorCommand,
           kCompletionCommand,
       }},
      {"Check",
       {
           kCheckCommand,
           kExplainCommand,
           kBaselineCommand,
           kDiffCommand,
           kHistoryCommand,
           kLspCommand,
           HandedOver("scan",
                      "Find the operators that a source tree registers (runs opledger-scan)",
                      "opledger-scan"),
           HandedOver("merge", "Merge the facts files written by `scan --shard K/N`",
                      "opledger-scan", "--merge"),
       }},
      {"Lists",
       {
           kClassifyCommand,
           kDocsCommand,
           kImportCommand,
           kListsCommand,
       }},
      {"Models",
       {
           HandedOver("convert",
                      "Convert a model to mixed precision by the lists (runs opledger-convert)",
                      "opledger-convert"),
           HandedOver("inspect", "Show a model's operators, types and policies", "opledger-convert",
                      "--inspect"),
           HandedOver("revert", "Restore the original of a converted model", "opledger-convert",
                      "--revert"),
           HandedOver("compare",
                      "Report the error of a reduced-precision model against float64, node by node",
                      "opledger-run", "--compare"),
           HandedOver("tune",
                      "Find the fewest nodes that must stay in float32; write them as a list for "
                      "convert",
                      "opledger-run", "--tune"),
       }},
      {"Run",
       {
           HandedOver("run", "Run a model with opledger's kernels (runs opledger-run)",
                      "opledger-run"),
           HandedOver("bench",
                      "Measure how long models take, in float32 and in mixed precision by lists",
                      "opledger-run", "--bench"),
           HandedOver("characterize",
                      "Measure the errors of the kernels and derive policies from them",
                      "opledger-run", "--characterize"),
       }},
  };
  return groups;
}

std::vector<Command> InGroups(const std::vector<VerbGroup>& groups) {
  std::vector<Command> commands;
  for (const VerbGroup& group : groups) {
    for (Command command : group.verbs) {
      command.group = group.heading;
      commands.push_back(command);
    }
  }
  return commands;
}

}  // namespace

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = InGroups(VerbGroups());
  return commands;
}

std::vector<std::string> SiblingPrograms() {
  std::vector<std::string> programs;
  for (const Command& command : Commands()) {
    const char* const program = command.sibling.program;
    if (program == nullptr) continue;
    const bool seen = std::find(programs.begin(), programs.end(), program) != programs.end();
    if (!seen) programs.emplace_back(program);
  }
  return programs;
}

const Command* FindCommand(std::string_view name) {
  for (const Command& command : Commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

}  // namespace opledger
