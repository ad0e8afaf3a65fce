// The explanations follow the schemas, with the defaults of the dialect.
// SPDX-License-Identifier: Apache-2.0
#include "checker/config/starter_files.h"

#include "checker/filter/baseline.h"
#include "checker/rules/rules.h"
#include "registry/json/json_write.h"
#include "registry/precision_list/policy.h"
#include "registry/precision_list/precision_list.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

std::string InWords(const std::vector<std::string>& values) {
  return values.empty() ? "none" : Join(values, ", ");
}

// Some of these strings span several lines.
// NOLINTBEGIN(bugprone-suspicious-missing-comma)
std::vector<std::string> ProjectExplanations(const Dialect& dialect) {
  std::vector<std::string> configurations;
  for (const auto& [name, defines] : dialect.configurations) configurations.push_back(name);
  return {
      "The settings of `opledger check`; all paths are relative to this file. `opledger config "
      "show` "
      "shows the settings in force, `opledger config validate` checks this file.",
      "dialect: how operators are registered; the name of a shipped dialect or the path of a "
      "dialect file.",
      "lists: the precision lists that the operators are checked against; edit them with `opledger "
      "classify OPERATOR --as POLICY`.",
      "Not set here; the defaults are:",
      "dialects: none; [{\"dialect\": \"NAME\", \"sources\": [\"a/**\"]}, ...] in place of "
      "'dialect' checks several",
      "sources: " + InWords(dialect.sources) + " (globs of the files that register operators)",
      "exclude: " + InWords(dialect.exclude) + " (globs of files to leave out)",
      "include_directories: " + InWords(dialect.include_directories) +
          " (folders to search for headers)",
      "configurations: " + InWords(configurations) +
          " (named builds; {\"NAME\": {\"MACRO\": \"VALUE\"}} adds one)",
      "default_configuration: " +
          (dialect.default_configuration.empty() ? "none" : dialect.default_configuration) +
          " (for lists that name none)",
      std::string("baseline: ") + kBaselineFile +
          " if `opledger baseline write` created it (findings that do not count)",
      "evidence: none; a file of measurements, by `opledger characterize -o FILE` or of your own",
      "docs: none; {\"files\": [\"docs/operators.md\"], \"source_url\": "
      "\"https://github.com/OWNER/NAME/blob/main/{path}#L{line}\"} writes documentation to commit",
      "ignore: findings that do not count, such as {\"rule\": \"stale-entry\", \"operator\": "
      "\"_old_*\", \"path\": \"plugin/**\", \"reason\": \"WHY\"}",
      "guidelines: the built-in ones (help for classifying a new operator)",
  };
}
// NOLINTEND(bugprone-suspicious-missing-comma)

// Returns lines such as "stale-entry: warning (a list names ...)".
std::vector<std::string> SeverityExplanations() {
  std::vector<std::string> lines = {
      "\"RULE\": \"error\", \"warning\", \"note\" or \"off\". The defaults are:"};
  for (const Rule& rule : Rules()) {
    const std::string severity = rule.off ? "off" : SeverityName(rule.severity);
    lines.push_back(std::string(rule.name) + ": " + severity + " (" + rule.summary + ")");
  }
  return lines;
}

}  // namespace

std::string StarterProjectFile(const std::string& dialect_choice, const Dialect& dialect,
                               const std::vector<std::string>& off,
                               const std::vector<std::string>& lists) {
  std::string text;
  JsonWriter json(text, 2);
  json.BeginObject();
  json.Array("$comment", ProjectExplanations(dialect));
  json.Field("dialect", dialect_choice);
  json.Array("lists", lists);
  json.BeginObject("severities");
  json.Array("$comment", SeverityExplanations());
  for (const std::string& rule : off) json.Field(rule, "off");
  json.EndObject();
  json.BeginArray("ignore");  // an array cannot hold a "$comment"
  json.EndArray();
  json.EndObject();
  return text + '\n';
}

std::string WithUnlisted(std::string text, const std::string& unlisted) {
  Diagnostics ignored;
  const auto document = ParseJson("list", text, ignored);
  const JsonValue* const dtype = document ? document->root.Find("target_dtype") : nullptr;
  if (dtype == nullptr || document->root.Find("unlisted") != nullptr) return text;
  return text.insert(dtype->span.end, ",\n  \"unlisted\": " + JsonQuote(unlisted));
}

std::string StarterList(const std::string& framework, const std::string& dtype,
                        const std::string& unlisted) {
  std::string text;
  JsonWriter json(text, 2);
  json.BeginObject();
  // NOLINTBEGIN(bugprone-suspicious-missing-comma): as above
  const std::vector<std::string> explanations = {
      "Every operator has one of the five policies. `opledger classify` adds entries.",
      "target: runs in " + dtype,
      "fp32: runs in float32",
      "widest: runs in the widest type among its inputs",
      "conditional: one of the other policies, depending on an attribute",
      "either: is not cast",
      "An entry is a name, or {\"op\": NAME, \"reason\": \"numeric\", \"note\": TEXT}; a reason "
      "is one of " +
          InWords(ReasonNames()) + ".",
      "unlisted: \"required\" if every operator needs an entry; otherwise the policy under which "
      "the framework runs operators without one, so that only new operators need an entry.",
      "Not set here: device (the list is for all), configuration (the project's), extends (the "
      "path of a list that this one builds on)."};
  // NOLINTEND(bugprone-suspicious-missing-comma)
  json.Array("$comment", explanations);
  json.Field("framework", framework);
  json.Field("target_dtype", dtype);
  json.Field("unlisted", unlisted);
  for (const Policy policy : kPolicies) {
    json.BeginArray(PolicyName(policy));
    json.EndArray();
  }
  json.EndObject();
  return text + '\n';
}

}  // namespace opledger
