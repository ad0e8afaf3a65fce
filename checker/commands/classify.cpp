// opledger classify: one minimal edit of a list file.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/classify.h"

#include <memory>

#include "checker/commands/commands.h"
#include "checker/project/checked_lists.h"
#include "checker/terminal/terminal.h"
#include "registry/platform/files.h"

namespace opledger {
namespace {

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

bool ReadCondition(const ClassifyOptions& options, Classification& wanted,
                   Diagnostics& diagnostics) {
  const bool given = !options.attribute.empty() || !options.values.empty() ||
                     !options.then.empty() || !options.otherwise.empty();
  if (wanted.policy != Policy::kConditional) {
    if (given) {
      diagnostics.Error({},
                        "--attribute, --values, --then and --otherwise need --as "
                        "conditional");
    }
    return !given;
  }
  if (options.attribute.empty() || options.values.empty() || options.then.empty()) {
    return diagnostics.Error({}, "--as conditional needs --attribute, --values and --then",
                             "such as --attribute act_type --values elu,selu --then fp32");
  }
  wanted.attribute = options.attribute;
  wanted.values = options.values;
  wanted.then = ParsePolicy(options.then).value_or(Policy::kEither);
  wanted.otherwise = ParsePolicy(options.otherwise);
  return true;
}

std::optional<Classification> ReadOptions(const ClassifyOptions& options,
                                          Diagnostics& diagnostics) {
  Classification wanted;
  wanted.op = options.op;
  wanted.reason = options.reason;
  wanted.note = options.note;
  if (options.op.empty() || Printable(options.op) != options.op) {
    return diagnostics.Error({}, "'" + options.op + "' is not a valid operator name");
  }
  wanted.policy = ParsePolicy(options.policy).value_or(Policy::kEither);
  if (!ReadCondition(options, wanted, diagnostics)) return std::nullopt;
  return wanted;
}

const char* ChangeText(EntryChange change) {
  switch (change) {
    case EntryChange::kAdded:
      return "' is now under '";
    case EntryChange::kMoved:
      return "' moved to '";
    case EntryChange::kChanged:
      return "' was changed under '";
    case EntryChange::kNone:
      return "' is already under '";
  }
  return "";
}

int RunClassify(const ClassifyOptions& options) {
  Diagnostics diagnostics;
  const std::optional<Classification> wanted = ReadOptions(options, diagnostics);
  if (!wanted) return Fail(diagnostics);
  const std::optional<Project> project =
      Project::Open(options.global.project_file, ".", diagnostics);
  if (!project) return Fail(diagnostics);
  const std::optional<PrecisionList> list = ChooseList(options.list, *project, diagnostics);
  if (!list) return Fail(diagnostics);
  const std::optional<Classified> result = Classify(*list, *wanted, diagnostics);
  if (!result) return Fail(diagnostics);
  if (result->change != EntryChange::kNone && !WriteFile(list->path, result->text, diagnostics)) {
    return Fail(diagnostics);
  }
  if (options.global.quiet) return kExitClean;
  const std::string change = ShownPlace(result->location) + ": '" + Printable(wanted->op) +
                             ChangeText(result->change) + PolicyName(wanted->policy) + "'" +
                             (result->lost_reason ? ", without the reason for its old policy; give "
                                                    "one for this with --reason or --note\n"
                                                  : "\n");
  Print(change);
  return kExitClean;
}

VerbCall PrepareClassify() {
  std::vector<std::string> policies;
  for (const Policy policy : kPolicies) policies.emplace_back(PolicyName(policy));
  std::vector<std::string> outcomes = policies;  // that a condition may have
  std::erase(outcomes, PolicyName(Policy::kConditional));
  auto options = std::make_shared<ClassifyOptions>();
  return MakeCall(
      options,
      {{"OPERATOR", "", "The operator", &options->op, {}, true},
       {"--as", "POLICY", "Its policy", &options->policy, policies, true},
       {"--list", "FILE|DTYPE", "The list: a file, float16 or bfloat16", &options->list},
       {"--reason", "REASON", "The reason, in one word", &options->reason, ReasonNames()},
       {"--note", "TEXT", "An explanation, in free text", &options->note},
       {"--attribute", "NAME", "With --as conditional: the attribute", &options->attribute},
       {.names = "--values",
        .value = "V,W",
        .help = "Its values, separated by commas",
        .target = &options->values,
        .commas = true},
       {"--then", "POLICY", "The policy for these values", &options->then, outcomes},
       {"--otherwise", "POLICY", "The policy for all others; default: either", &options->otherwise,
        outcomes}},
      RunClassify);
}

}  // namespace

extern const Command kClassifyCommand = {
    "classify", "Give an operator a policy: one minimal edit of a list file",
    "Examples:\n"
    "  opledger classify hard_swish --as fp32 --list float16 --reason numeric\n"
    "  opledger classify LeakyReLU --list float16 --as conditional --attribute act_type "
    "--values elu,selu --then fp32\n"
    "Nothing else in the file changes. An operator listed under another policy is moved; reasons "
    "for\n"
    "the old policy are dropped, so that --reason or --note say what speaks for the new one.",
    PrepareClassify};

}  // namespace opledger
