// Splits arguments at commas outside brackets. The last word of an argument is its name.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/facts/schema_text.h"

#include "registry/text/text.h"

namespace opledger::scan {
namespace {

// Returns the arguments or results that are not empty, trimmed.
std::vector<std::string_view> Parts(std::string_view text) {
  std::vector<std::string_view> parts = SplitOutsideBrackets(text, ',');
  for (std::string_view& part : parts) part = Trimmed(part);
  std::erase(parts, std::string_view());
  return parts;
}

FieldFact Argument(std::string_view text, int order) {
  FieldFact fact;
  fact.field = "inputs";
  fact.order = order;
  if (std::size_t equals = text.find('='); equals != std::string_view::npos) {
    fact.value.details["default"] = Trimmed(text.substr(equals + 1));
    text = Trimmed(text.substr(0, equals));
  }
  std::size_t blank = text.find_last_of(" \t");
  std::size_t bracket = text.find_last_of(")]");
  bool inside = blank != std::string_view::npos && bracket != std::string_view::npos &&
                blank < bracket && text[bracket] == ')';  // as in "Dict(str, Tensor)"
  if (inside) blank = std::string_view::npos;
  if (blank == std::string_view::npos) {
    fact.value.value = text;
  } else {
    fact.value.key = text.substr(blank + 1);
    fact.value.value = Trimmed(text.substr(0, blank));
  }
  return fact;
}

// "Tensor", "Tensor(a!) out": a result only has a name if the schema gives one.
FieldFact Result(std::string_view text, int order) {
  FieldFact fact = Argument(text, order);
  fact.field = "outputs";
  return fact;
}

}  // namespace

std::string SchemaName(std::string_view schema) {
  return std::string(Trimmed(schema.substr(0, schema.find('('))));
}

std::vector<FieldFact> SchemaFields(std::string_view schema) {
  std::vector<FieldFact> fields;
  std::size_t open = schema.find('(');
  if (open == std::string_view::npos) return fields;
  std::size_t close = ClosingBracket(schema, open);
  int order = 0;
  for (std::string_view part : Parts(schema.substr(open + 1, close - open - 1))) {
    if (part != "*") fields.push_back(Argument(part, order++));
  }
  std::size_t arrow = schema.find("->", close);
  if (arrow == std::string_view::npos) return fields;
  std::string_view results = Trimmed(schema.substr(arrow + 2));
  bool several = results.starts_with('(') && ClosingBracket(results, 0) + 1 == results.size();
  if (several) results = results.substr(1, results.size() - 2);
  order = 0;
  for (std::string_view part : Parts(results)) fields.push_back(Result(part, order++));
  return fields;
}

}  // namespace opledger::scan
