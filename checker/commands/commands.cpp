// The table of verbs, in the order in which help lists them.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands/commands.h"

#include <algorithm>
#include <iterator>

namespace opledger {

namespace {

constexpr Command kCommands[] = {
    {"check", "Check the operators of a source tree against its precision lists",
     "Examples:\n"
     "  opledger check\n"
     "      the tree around opledger.json, with its lists\n"
     "  opledger check --operators operators.json --list float16.json --output-format json\n"
     "      an earlier scan against one list, for a program to read\n"
     "  opledger check --diff\n"
     "      what --fix would change: stale and repeated entries, suppressions of nothing\n"
     "Exit status: 0 clean, 1 findings, 2 could not run, 3 incomplete."},
    {"baseline", "Write, prune or show the findings that were there before",
     "Examples:\n"
     "  opledger baseline write\n"
     "      what is found now does not count from now on; new findings do\n"
     "  opledger baseline prune\n"
     "      drops what is found no longer\n"
     "An update only removes; `write --add` takes up new findings too."},
    {"diff", "Tell which operators and policies changed since a revision",
     "Examples:\n"
     "  opledger diff origin/main\n"
     "      what this tree adds, removes and moves\n"
     "  opledger diff old-operators.json --format markdown\n"
     "      for a comment on a pull request"},
    {"scan",
     "Find the operators that a source tree registers (runs opledger-scan)",
     nullptr,
     {"opledger-scan"}},
    {"merge",
     "Put together what `scan --shard K/N` wrote on several machines",
     nullptr,
     {"opledger-scan", "--merge"}},
    {"classify", "Give an operator a policy: one minimal edit of a list file",
     "Examples:\n"
     "  opledger classify hard_swish --as fp32 --list float16 --reason numeric\n"
     "  opledger classify LeakyReLU --list float16 --as conditional --attribute act_type "
     "--values elu,selu --then fp32\n"
     "Nothing else in the file changes. An operator that stands under another policy is moved."},
    {"explain", "Explain a rule or an operator, or list all rules",
     "Examples:\n"
     "  opledger explain unclassified-operator\n"
     "  opledger explain hard_swish\n"
     "      what is known of the operator, and what speaks for which policy"},
    {"init", "Write opledger.json and precision lists to start from",
     "Examples:\n"
     "  opledger init\n"
     "      finds the dialect by itself\n"
     "  opledger -C incubator-mxnet init --dialect mxnet\n"
     "Never overwrites a file."},
    {"docs", "Write documentation of the operators and their policies",
     "Examples:\n"
     "  opledger docs -o docs.html --source-url "
     "'https://github.com/OWNER/NAME/blob/main/{path}'\n"
     "      one page to open in a browser, its places links to the source\n"
     "  opledger docs --check -o docs/operators.md\n"
     "      exit status 1 where what is committed is out of date\n"
     "Without -o and --format: the files of \"docs\" in opledger.json, else Markdown on stdout."},
    {"import", "Turn lists in Python or C++ source into precision lists",
     "Examples:\n"
     "  opledger import symbol_fp16.py --dialect mxnet --target-dtype float16 -o float16.json\n"
     "  opledger import symbol_bf16.py --dialect mxnet --target-dtype bfloat16 -o -"},
    {"convert",
     "Convert a model to mixed precision by the lists (runs opledger-convert)",
     nullptr,
     {"opledger-convert"}},
    {"inspect",
     "Tell what a model holds, and what a list says of its operators",
     nullptr,
     {"opledger-convert", "--inspect"}},
    {"revert", "Give a converted model back as it was", nullptr, {"opledger-convert", "--revert"}},
    {"run", "Run a model with opledger's kernels (runs opledger-run)", nullptr, {"opledger-run"}},
    {"compare",
     "Tell how far a model in less precision is from float64, node by node",
     nullptr,
     {"opledger-run", "--compare"}},
    {"bench",
     "Say how long models take here, in float32 and by lists",
     nullptr,
     {"opledger-run", "--bench"}},
    {"tune",
     "Find the fewest nodes of a model that have to stay in float32, as a list for convert",
     nullptr,
     {"opledger-run", "--tune"}},
    {"characterize",
     "Measure the kernels, and say which policies their errors speak for",
     nullptr,
     {"opledger-run", "--characterize"}},
    {"config", "Show the settings and where they come from, validate the files, print schemas",
     "Examples:\n"
     "  opledger config show\n"
     "      every setting, its value, and the file and line, flag or variable that says so\n"
     "  opledger config validate\n"
     "      all that is wrong with the form of opledger.json, its dialect and its lists\n"
     "  opledger config schema --with-ops > list.schema.json\n"
     "      a JSON Schema that knows this project's operators: with \"$schema\": "
     "\"list.schema.json\"\n"
     "      in a list, editors complete them and flag what is none\n"
     "Exit status: 0 clean, 1 something is wrong with the files, 2 could not look."},
    {"doctor", "Tell what a bug report needs, and what is wrong with this installation",
     "Examples:\n"
     "  opledger doctor\n"
     "      versions, programs, project file, cache, git: what was found, and what is wrong\n"
     "  opledger doctor --format json -o doctor.json\n"
     "      to attach to a report: nothing of your files is in it\n"
     "Exit status: 0 nothing is wrong, 1 something is."},
    {"completion", "Write what makes bash or zsh complete command lines of opledger",
     "Examples:\n"
     "  opledger completion bash > ~/.local/share/bash-completion/completions/opledger\n"
     "  opledger completion zsh > ~/.zfunc/_opledger\n"
     "      with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc\n"
     "`operators` prints the names that the scripts offer: those of operators.json beside\n"
     "opledger.json, else those of its lists."},
};

}  // namespace

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands(std::begin(kCommands), std::end(kCommands));
  return commands;
}

std::vector<std::string> SiblingPrograms() {
  std::vector<std::string> programs;
  for (const Command& command : kCommands) {
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
