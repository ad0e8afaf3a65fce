// Edits the shipped schemas as text, so that the rest of them does not change.
// SPDX-License-Identifier: Apache-2.0
#include "checker/config/config_schema.h"

#include <algorithm>

#include "checker/rules/rules.h"
#include "registry/json/json.h"
#include "registry/json/json_write.h"
#include "registry/platform/platform.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr const char* kList = "list";
constexpr const char* kProject = "project";

struct SchemaEdit {
  Span span;
  std::string text;
};

const JsonValue* FindAt(const JsonValue& root, const std::vector<std::string>& keys) {
  const JsonValue* value = &root;
  for (const std::string& key : keys) {
    if (value != nullptr) value = value->Find(key);
  }
  return value;
}

std::string Enumeration(const std::vector<std::string>& words) {
  return "\"enum\": [" + Join(words, ",", JsonQuote) + ']';
}

// Adds a condition to a schema such as `{"type": "string", "description": ...}`.
SchemaEdit WithCondition(const JsonValue& schema, const std::string& condition) {
  return {{schema.span.begin + 1, schema.span.begin + 1}, condition + ", "};
}

std::string Apply(std::string text, std::vector<SchemaEdit> edits) {
  std::sort(edits.begin(), edits.end(),
            [](const SchemaEdit& a, const SchemaEdit& b) { return a.span.begin > b.span.begin; });
  for (const SchemaEdit& edit : edits) text.replace(edit.span.begin, edit.span.size(), edit.text);
  return text;
}

std::vector<SchemaEdit> EditsOfProject(const JsonValue& root,
                                       const std::vector<std::string>& operators) {
  std::vector<SchemaEdit> edits;
  if (const JsonValue* severities = FindAt(root, {"properties", "severities"})) {
    std::vector<std::string> names = RuleNames();
    names.emplace_back("$comment");
    edits.push_back(WithCondition(*severities, "\"propertyNames\": {" + Enumeration(names) + "}"));
  }
  const std::vector<std::string> of_ignore = {"properties", "ignore", "items", "properties"};
  const JsonValue* const ignore = FindAt(root, of_ignore);
  if (ignore == nullptr) return edits;
  if (const JsonValue* rule = ignore->Find("rule")) {
    edits.push_back(WithCondition(*rule, Enumeration(RuleNames())));
  }
  const JsonValue* const op = ignore->Find("operator");
  if (op != nullptr && !operators.empty()) {
    const std::string either =
        "\"anyOf\": [{" + Enumeration(operators) + "}, {\"pattern\": \"[*?\\\\[]\"}]";
    edits.push_back(WithCondition(*op, either));
  }
  return edits;
}

std::vector<SchemaEdit> EditsOfList(const JsonValue& root,
                                    const std::vector<std::string>& operators) {
  const JsonValue* const name = FindAt(root, {"$defs", "name"});
  if (name == nullptr || operators.empty()) return {};
  return {WithCondition(*name, Enumeration(operators))};
}

}  // namespace

std::vector<std::string> ConfigSchemaNames() { return {kList, kProject}; }

std::optional<std::string> ConfigSchema(const std::string& name,
                                        const std::vector<std::string>& operators,
                                        Diagnostics& diagnostics) {
  const bool of_list = name == kList;
  const std::string file = of_list ? "precision-list" : "project";
  const std::optional<JsonDocument> schema =
      ReadJson(DataDirectory() + "/schemas/" + file + ".schema.json", diagnostics);
  if (!schema) return std::nullopt;
  return Apply(schema->text, of_list ? EditsOfList(schema->root, operators)
                                     : EditsOfProject(schema->root, operators));
}

}  // namespace opledger
