// opledger explain: explains a rule or a dialect field, or shows what is known about an operator
// and the evidence for each policy.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "checker/commands/commands.h"
#include "checker/commands/shared_options.h"
#include "checker/docs/dialect_reference.h"
#include "checker/docs/operator_page.h"
#include "checker/filter/severities.h"
#include "checker/project/checked_project.h"
#include "checker/rules/rules.h"
#include "checker/terminal/terminal.h"
#include "registry/text/suggestion.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

struct ExplainOptions : CheckOptions {
  std::string name;       // a rule, an operator or a dialect field; empty: list the rules
  bool markdown = false;  // print all dialect fields as a page
};

std::string RuleTable() {
  std::string text;
  std::size_t width = 0;
  for (const Rule& rule : Rules()) width = std::max(width, std::string_view(rule.name).size());
  for (const Rule& rule : Rules()) {
    std::string name = rule.name;
    name.resize(width, ' ');
    std::string severity = rule.off ? "off" : SeverityName(rule.severity);
    severity.resize(std::string_view("warning").size(), ' ');
    text += name + "  " + severity + "  " + rule.summary + '\n';
  }
  return text;
}

// Suggests the nearest operator, otherwise rules, otherwise how to find out why the scan has no
// such operator.
std::string Hint(const std::string& name, const std::vector<std::string>& operators) {
  std::string hint = DidYouMean(name, operators);
  if (hint.empty()) hint = Proposal(name, RuleNames());
  if (!hint.empty()) return hint;
  return "if a file registers this operator, `opledger scan --explain FILE` says why it is not "
         "reported; `opledger explain` lists the rules";
}

// With several dialects: explains the operator of the only dialect that has it.
std::optional<std::string> ExplainOfSome(const ExplainOptions& options,
                                         const std::vector<CheckOptions>& dialects,
                                         Diagnostics& diagnostics) {
  std::vector<std::unique_ptr<CheckedProject>> found;
  std::vector<std::string> names;
  std::vector<std::string> known;
  for (const CheckOptions& each : dialects) {
    auto checked = std::make_unique<CheckedProject>();
    if (!OpenCheckedProject(each, *checked, diagnostics)) return std::nullopt;
    for (const Operator& op : checked->manifest->operators) known.push_back(op.name);
    if (checked->index->Resolve(options.name) == nullptr) continue;
    names.push_back(each.dialect);
    found.push_back(std::move(checked));
  }
  if (found.size() > 1) {
    return diagnostics.Error(
        {}, "operator '" + options.name + "' is in several dialects: " + Join(names, ", "),
        "choose one with --dialect NAME");
  }
  if (found.empty()) {
    return diagnostics.Error({}, "'" + options.name + "' is neither a rule nor an operator",
                             Hint(options.name, known));
  }
  const CheckIndex& index = *found.front()->index;
  return OperatorPage(*index.Resolve(options.name), index, diagnostics);
}

// Explains an operator of the project. Returns nullopt, with an error, if there is no such operator
// or no manifest.
std::optional<std::string> ExplainOperator(const ExplainOptions& options,
                                           Diagnostics& diagnostics) {
  const std::vector<std::string> rules = RuleNames();
  Diagnostics messages;
  CheckedProject checked;
  if (!DidYouMean(options.name, rules).empty()) {
    return diagnostics.Error({}, "unknown rule '" + options.name + "'", RuleHint(options.name));
  }
  const std::vector<CheckOptions> dialects = OptionsOfDialects(options);
  if (dialects.size() > 1) return ExplainOfSome(options, dialects, diagnostics);
  if (!OpenCheckedProject(options, checked, messages)) {
    std::string why;
    std::string hint = Proposal(options.name, rules);
    if (!messages.all().empty()) {
      const Diagnostic& first = messages.all().front();
      why = ": " + (first.location.path.empty() ? "" : std::string(first.location.path) + ": ") +
            first.message;
      if (hint.empty()) hint = first.hint;
    }
    return diagnostics.Error(
        {}, "unknown rule '" + options.name + "', and no operators were found" + why,
        hint.empty() ? RuleHint(options.name) : hint);
  }
  const Operator* op = checked.index->Resolve(options.name);
  if (op != nullptr) return OperatorPage(*op, *checked.index, diagnostics);
  std::vector<std::string> known;
  for (const Operator& each : checked.manifest->operators) known.push_back(each.name);
  return diagnostics.Error({}, "'" + options.name + "' is neither a rule nor an operator",
                           Hint(options.name, known));
}

int RunExplain(const ExplainOptions& options) {
  std::string text = RuleTable();
  Diagnostics diagnostics;
  if (const Rule* rule = FindRule(options.name)) {
    text = std::string(rule->name) + " (" + SeverityName(rule->severity) +
           (rule->off ? ", off by default)" : ")") + "\n\n" + rule->page;
  } else if (IsDialectField(options.name)) {
    std::optional<std::string> page = options.markdown
                                          ? DialectReference(diagnostics)
                                          : DialectFieldPage(options.name, diagnostics);
    if (!page) return Fail(diagnostics);
    text = std::move(*page);
  } else if (!options.name.empty()) {
    std::optional<std::string> page = ExplainOperator(options, diagnostics);
    if (!page) return Fail(diagnostics);
    text = std::move(*page);
  }
  Print(text);
  Show(diagnostics);
  return kExitClean;
}

VerbCall PrepareExplain() {
  auto options = std::make_shared<ExplainOptions>();
  return MakeCall(
      options,
      Joined({{"RULE", "", "A rule, an operator or dialect.FIELD; default: list the rules",
               &options->name},
              {"--markdown", "", "With `explain dialect`: print all fields as a page",
               &options->markdown}},
             SourceOptions(*options)),
      RunExplain);
}

}  // namespace

extern const Command kExplainCommand = {
    "explain", "Explain a rule, an operator or a field of dialects, or list all rules",
    "Examples:\n"
    "  opledger explain unclassified-operator\n"
    "  opledger explain hard_swish\n"
    "      what is known about the operator, and the evidence for each policy\n"
    "  opledger explain dialect.sinks.prefix\n"
    "      a field of dialect files",
    PrepareExplain};

}  // namespace opledger
