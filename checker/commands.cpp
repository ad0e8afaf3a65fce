// The table of verbs, in the order in which help lists them.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands.h"

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
     "  opledger diff old-operators.json --format markdown\n"
     "      for a comment on a pull request"},
    {"scan", "Find the operators that a source tree registers (runs opledger-scan)",
     "Examples:\n"
     "  opledger scan -o operators.json\n"
     "  opledger scan --dialect mxnet --configuration gpu src",
     RunScan},
    {"merge", "Put together what `scan --shard K/N` wrote on several machines",
     "Examples:\n"
     "  opledger scan --shard 1/2 -o 1.facts\n"
     "  opledger scan --shard 2/2 -o 2.facts\n"
     "  opledger merge 1.facts 2.facts -o operators.json\n"
     "Exit status: 3 where a shard is missing, damaged or of another scan.",
     RunMerge},
    {"classify", "Give an operator a policy: one minimal edit of a list file",
     "Examples:\n"
     "  opledger classify hard_swish --as fp32 --list float16 --reason numeric\n"
     "  opledger classify LeakyReLU --as conditional --attribute act_type --values elu,selu "
     "--then fp32\n"
     "Nothing else in the file changes. An operator that stands under another policy is moved."},
    {"explain", "Explain a rule, or list all rules",
     "Examples:\n"
     "  opledger explain\n"
     "  opledger explain unclassified-operator"},
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
     "  opledger docs --check -o docs/operators.md\n"
     "Without -o and --format: the files of \"docs\" in opledger.json, else Markdown on stdout."},
    {"import", "Turn lists in Python or C++ source into precision lists",
     "Examples:\n"
     "  opledger import symbol_fp16.py --dialect mxnet --target-dtype float16 -o float16.json\n"
     "  opledger import symbol_bf16.py --dialect mxnet --target-dtype bfloat16 -o -"},
    {"convert", "Convert a model to mixed precision by the lists (runs opledger-convert)",
     "Examples:\n"
     "  opledger convert model.onnx -o mixed.onnx\n"
     "  opledger convert model.onnx --target-dtype bfloat16 --dry-run",
     RunConvert},
    {"inspect", "Tell what a model holds, and what a list says of its operators",
     "Examples:\n"
     "  opledger inspect model.onnx\n"
     "  opledger inspect net-symbol.json --format json",
     RunInspect},
    {"revert", "Give a converted model back as it was",
     "Examples:\n"
     "  opledger revert mixed.onnx -o model.onnx --sidecar mixed.sidecar\n"
     "  opledger revert mixed.onnx -o model.onnx",
     RunRevert},
    {"run", "Run a model with opledger's kernels (runs opledger-run)",
     "Examples:\n"
     "  opledger run model.onnx --input x=x.npy -o outputs\n"
     "  opledger run model.onnx --input x=random --trace",
     RunRun},
};

}  // namespace

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands(std::begin(kCommands), std::end(kCommands));
  return commands;
}

const Command* FindCommand(std::string_view name) {
  for (const Command& command : Commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

}  // namespace opledger
