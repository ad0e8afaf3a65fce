// Evidence as schemas/evidence.schema.json has it.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/evidence/evidence.h"
#include "registry/json/json_write.h"

namespace opledger {
namespace {

void WriteNumber(const char* key, double value, JsonWriter& json) {
  json.Key(key);
  json.Number(value);
}

void WriteDomain(const DomainEvidence& domain, bool of_kernel, JsonWriter& json) {
  json.CompactNext();
  json.BeginObject();
  json.Field("domain", domain.domain);
  json.Field("numbers", static_cast<std::int64_t>(domain.numbers));
  WriteNumber("not_finite", domain.not_finite, json);
  WriteNumber("flushed", domain.flushed, json);
  WriteNumber("median", domain.median, json);
  WriteNumber("p99", domain.p99, json);
  WriteNumber("most", domain.max, json);
  if (of_kernel) {
    WriteNumber("ulp", domain.ulp, json);
    json.Key("exact");
    json.Boolean(domain.exact);
  }
  json.EndObject();
}

void WriteMeasured(const char* key, const RecommendedPolicy& recommended,
                   const std::vector<DomainEvidence>& domains, bool of_kernel, JsonWriter& json) {
  json.Key(key);
  json.BeginObject();
  json.Field("policy", PolicyName(recommended.policy));
  json.Field("step", recommended.step);
  json.Field("reason", recommended.reason);
  json.Key("domains");
  json.BeginArray();
  for (const DomainEvidence& domain : domains) WriteDomain(domain, of_kernel, json);
  json.EndArray();
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
  if (!measurement.instruction_set.empty()) {
    json.Field("instruction_set", measurement.instruction_set);
  }
  if (!measurement.bound.empty()) json.Field("error_bound", measurement.bound);
  if (measurement.milliseconds) {
    WriteNumber("milliseconds", *measurement.milliseconds, json);
    WriteNumber("milliseconds_float32", measurement.milliseconds_float32.value_or(0), json);
  }
  WriteMeasured("computed", evidence.computed, measurement.domains, true, json);
  if (!measurement.steps.empty()) {
    WriteMeasured("stepwise", evidence.stepwise, measurement.steps, false, json);
  }
  json.EndObject();
}

void WriteAgreement(const NamedAgreement& named, JsonWriter& json) {
  json.CompactNext();
  json.BeginObject();
  json.Field("list", named.list);
  json.Field("operators", static_cast<std::int64_t>(named.agreement.named));
  json.Field("computed", static_cast<std::int64_t>(named.agreement.computed));
  json.Field("stepwise", static_cast<std::int64_t>(named.agreement.stepwise));
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
  json.Key("operators");
  json.BeginArray();
  for (const OperatorEvidence& evidence : all.operators) WriteOperator(evidence, json);
  json.EndArray();
  json.Key("agreement");
  json.BeginArray();
  for (const NamedAgreement& named : all.agreements) WriteAgreement(named, json);
  json.EndArray();
  json.EndObject();
  return text + "\n";
}

}  // namespace opledger
