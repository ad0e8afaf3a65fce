// Writes evidence in the format of schemas/evidence.schema.json.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/evidence/evidence.h"
#include "registry/json/json_write.h"

namespace opledger {
namespace {

void WriteDomain(const DomainEvidence& domain, bool of_kernel, JsonWriter& json) {
  json.BeginCompactObject();
  json.Field("domain", domain.domain);
  json.Field("rare", domain.rare);
  json.Field("numbers", domain.numbers);
  json.Field("not_finite", domain.not_finite);
  json.Field("flushed", domain.flushed);
  json.Field("median", domain.median);
  json.Field("p99", domain.p99);
  json.Field("most", domain.max);
  if (domain.rows != 0) {
    json.Field("rows", domain.rows);
    json.Field("changed_rows", domain.changed_rows);
    json.Field("largest", domain.largest);
  }
  if (of_kernel) {
    json.Field("ulp", domain.ulp);
    json.Field("exact", domain.exact);
  }
  json.EndObject();
}

void WriteMeasured(const char* key, const RecommendedPolicy& recommended,
                   const std::vector<DomainEvidence>& domains, bool of_kernel, JsonWriter& json) {
  json.BeginObject(key);
  json.Field("policy", PolicyName(recommended.policy));
  json.Field("step", recommended.step);
  json.Field("reason", recommended.reason);
  json.Array("domains", domains,
             [&](const DomainEvidence& domain) { WriteDomain(domain, of_kernel, json); });
  json.EndObject();
}

void WriteOperator(const OperatorEvidence& evidence, JsonWriter& json) {
  const Measurement& measurement = evidence.measurement;
  json.BeginObject();
  json.Field("operator", evidence.probe->kernel);
  if (!evidence.probe->parameter.empty()) {
    json.Field("parameter", evidence.probe->parameter);
    json.Field("value", evidence.probe->value);
  }
  json.Field("dtype", DtypeName(evidence.dtype));
  if (!measurement.refusal.empty()) {
    json.Field("refusal", measurement.refusal);
    json.EndObject();
    return;
  }
  if (!measurement.bound.empty()) json.Field("error_bound", measurement.bound);
  if (measurement.milliseconds) {
    json.Field("milliseconds", *measurement.milliseconds);
    json.Field("milliseconds_float32", measurement.milliseconds_float32.value_or(0));
  }
  WriteMeasured("computed", evidence.computed, measurement.domains, true, json);
  if (!measurement.steps.empty()) {
    WriteMeasured("stepwise", evidence.stepwise, measurement.steps, false, json);
  }
  json.EndObject();
}

void WriteAgreement(const NamedAgreement& named, JsonWriter& json) {
  json.BeginCompactObject();
  json.Field("list", named.list);
  json.Field("operators", named.agreement.named);
  json.Field("computed", named.agreement.computed);
  json.Field("stepwise", named.agreement.stepwise);
  json.Field("commonest", named.agreement.commonest);
  json.BeginObject("listed");
  for (const ListedOperator& each : named.agreement.listed) {
    json.Field(each.kernel, PolicyName(each.policy));
  }
  json.EndObject();
  json.EndObject();
}

}  // namespace

std::string EvidenceJson(const Characterization& all, const CharacterizeOptions& options) {
  std::string text;
  JsonWriter json(text, 1);
  json.BeginObject();
  json.Field("schema", "opledger-evidence/1");
  json.Field("framework", "opledger");
  json.Field("kernels", options.kernels);
  json.Array("operators", all.operators,
             [&](const OperatorEvidence& evidence) { WriteOperator(evidence, json); });
  json.BeginObject("not_measured");
  for (const auto& [kernel, reason] : all.unmeasured) json.Field(kernel, reason);
  json.EndObject();
  json.Array("agreement", all.agreements,
             [&](const NamedAgreement& named) { WriteAgreement(named, json); });
  json.EndObject();
  return text + "\n";
}

}  // namespace opledger
