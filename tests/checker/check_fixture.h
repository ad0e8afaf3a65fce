// Builds inputs of rules, for tests.
//     Manifest manifest = MakeManifest({"exp", "log"});
//     Lists lists = {MakeList(R"({"framework": "demo", ...})")};
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "checker/rules/rules.h"

namespace opledger {

using Lists = std::vector<PrecisionList>;

// An operator at src/NAME.cc:1:1. An empty condition means always registered.
inline Operator MakeOperator(const std::string& name, const std::string& condition = "") {
  Operator op;
  op.name = name;
  const int end = static_cast<int>(name.size()) + 1;
  Site site;
  site.location = {"src/" + name + ".cc", 1, 1, 1, end};
  if (!condition.empty()) site.condition = Condition::FromExpression(condition);
  op.sites.push_back(site);
  return op;
}

// A manifest of dialect "demo", with the configurations "cpu" (default) and "gpu" (CUDA=1).
inline Manifest MakeManifest(const std::vector<Operator>& operators) {
  Manifest manifest;
  manifest.dialect = "demo";
  manifest.configurations = {{"cpu", {{}, {"CUDA"}}}, {"gpu", {{{"CUDA", "1"}}, {}}}};
  manifest.default_configuration = "cpu";
  manifest.operators = operators;
  return manifest;
}

inline Manifest MakeManifest(std::initializer_list<const char*> names) {
  std::vector<Operator> operators;
  for (const char* name : names) operators.push_back(MakeOperator(name));
  return MakeManifest(operators);
}

// `members` follow framework and target_dtype: "\"fp32\": [\"exp\"]".
inline PrecisionList MakeList(const std::string& members, const std::string& path = "list.json") {
  Diagnostics diagnostics;
  std::optional<PrecisionList> list = ParsePrecisionList(
      path, "{\"framework\": \"demo\", \"target_dtype\": \"float16\", " + members + "}",
      diagnostics);
  EXPECT_TRUE(list.has_value()) << RenderDiagnostics(diagnostics);
  return list ? std::move(*list) : PrecisionList();
}

inline Operator WithAlias(Operator op, const std::string& alias,
                          const std::string& condition = "") {
  Alias& added = op.aliases.emplace_back();
  added.name = alias;
  added.location = {"src/" + op.name + ".cc", 2, 1, 2, 5};
  if (!condition.empty()) added.condition = Condition::FromExpression(condition);
  return op;
}

inline Operator WithField(Operator op, const std::string& field, const std::string& key,
                          const std::string& value) {
  op.fields[field].push_back({key, value, {}});
  return op;
}

// Returns "rule operator" for each finding, one per line, in report order.
inline std::string RuleLines(const std::vector<Finding>& findings) {
  std::string lines;
  for (const Finding& finding : findings) lines += finding.rule + ' ' + finding.op + '\n';
  return lines;
}

inline std::string Check(const Manifest& manifest, const Lists& lists,
                         const std::string& configuration = "") {
  return RuleLines(RunRules({manifest, lists, configuration}));
}

}  // namespace opledger
