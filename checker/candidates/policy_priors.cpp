// Writes and reads priors.
// SPDX-License-Identifier: Apache-2.0
#include "checker/candidates/policy_priors.h"

#include "registry/json/json_fields.h"
#include "registry/json/json_write.h"
#include "registry/platform/platform.h"

namespace opledger {
namespace {

constexpr double kMaxNumber = 1e6;  // largest number in the file

bool ReadNumber(const JsonValue* value, JsonFields& fields, double& number) {
  if (value == nullptr) return false;
  const bool fits =
      (value->kind == JsonValue::Kind::kInteger || value->kind == JsonValue::Kind::kFloat) &&
      value->number >= 0 && value->number <= kMaxNumber;
  if (!fits) fields.Error(value->span, "expected a number from 0 to 1,000,000");
  number = fits ? value->number : 0;
  return fits;
}

bool ReadCounts(JsonFields& fields, PolicyCounts& counts) {
  const JsonValue* value = fields.Require("operators");
  if (value == nullptr) return false;
  if (value->kind != JsonValue::Kind::kArray || value->items.size() != counts.size()) {
    fields.Error(value->span, "expected a number for each policy");
    return false;
  }
  bool ok = true;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    ok = ReadNumber(&value->items[i], fields, counts[i]) && ok;
  }
  return ok;
}

}  // namespace

std::string WritePolicyPriors(const PolicyPriors& priors) {
  std::string text;
  JsonWriter json(text, 1);
  json.BeginObject();
  json.Field("schema", "opledger-policy-priors/1");
  json.BeginObject("weights");
  for (int i = 0; i < kFeatureKindCount; ++i) {
    json.Field(FeatureKindName(static_cast<FeatureKind>(i)),
               priors.weights[static_cast<std::size_t>(i)]);
  }
  json.EndObject();
  json.BeginCompactArray("policies");
  for (const Policy policy : kPolicies) json.String(PolicyName(policy));
  json.EndArray();
  json.CompactArray("operators", priors.operators);
  json.BeginArray("clues");
  for (const auto& [feature, counts] : priors.features) {
    if (Sum(counts) < kMinWithFeature) continue;
    json.BeginCompactObject();
    json.Field("clue", FeatureKindName(feature.kind));
    json.Field("value", feature.value);
    json.CompactArray("operators", counts);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return text + '\n';
}

std::optional<PolicyPriors> ReadPolicyPriors(Diagnostics& diagnostics) {
  const auto document = ReadJson(DataDirectory() + "/priors/policies.json", diagnostics);
  return document ? ParsePolicyPriors(document->path, document->text, diagnostics) : std::nullopt;
}

std::optional<PolicyPriors> ParsePolicyPriors(std::string path, std::string text,
                                              Diagnostics& diagnostics) {
  const auto document = ParseJson(std::move(path), std::move(text), diagnostics);
  if (!document) return std::nullopt;
  JsonFields fields(*document, document->root, "priors", diagnostics);
  if (!fields.Schema("opledger-policy-priors", 1)) return std::nullopt;
  PolicyPriors priors;
  bool ok = true;
  if (const JsonValue* value = fields.Require("weights")) {
    JsonFields weights(*document, *value, "weights", diagnostics);
    for (int i = 0; i < kFeatureKindCount; ++i) {
      const JsonValue* weight = weights.Require(FeatureKindName(static_cast<FeatureKind>(i)));
      ok = ReadNumber(weight, weights, priors.weights[static_cast<std::size_t>(i)]) && ok;
    }
    ok = weights.Finish() && ok;
  }
  const std::vector<std::string> policies = fields.Strings("policies");
  for (std::size_t i = 0; i < std::size(kPolicies); ++i) {
    ok = ok && i < policies.size() && policies[i] == PolicyName(kPolicies[i]);
  }
  ok = ReadCounts(fields, priors.operators) && ok;
  for (const JsonValue& item : fields.Objects("clues")) {
    JsonFields row(*document, item, "clue", diagnostics);
    const std::optional<FeatureKind> kind = ParseFeatureKind(row.RequiredString("clue"));
    Feature feature = {kind.value_or(FeatureKind::kWord), row.String("value")};
    ok = ReadCounts(row, priors.features[std::move(feature)]) && row.Finish() && kind && ok;
  }
  if (fields.Finish() && ok) return priors;
  if (!diagnostics.has_errors()) {
    diagnostics.Error({document->path, 0, 0, 0, 0}, "these priors are of another version",
                      "reinstall opledger");
  }
  return std::nullopt;
}

}  // namespace opledger
