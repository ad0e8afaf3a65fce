// Reads the parts of evidence files that rules use.
// SPDX-License-Identifier: Apache-2.0
#include "checker/findings/evidence.h"

#include <algorithm>

#include "checker/findings/measurements.h"
#include "registry/json/json_fields.h"

namespace opledger {
namespace {

// Returns the error; null means one that is not finite.
double ErrorIn(const JsonValue& value) {
  return value.kind == JsonValue::Kind::kNull ? 1e300 : value.number;
}

// Takes the largest errors over all domains of an operator.
void ReadDomains(const JsonDocument& document, JsonFields& fields, Diagnostics& diagnostics,
                 MeasuredOperator& measured) {
  measured.exact = true;
  measured.ulp = 0;
  for (const JsonValue& item : fields.Objects("domains")) {
    JsonFields domain(document, item, "domain", diagnostics);
    measured.exact = domain.Boolean("exact", false) && measured.exact;
    if (const JsonValue* ulp = domain.Take("ulp")) {
      measured.ulp = std::max(*measured.ulp, ErrorIn(*ulp));
    }
  }
}

MeasuredOperator ReadMeasured(const JsonDocument& document, const JsonValue& item,
                              const std::string& framework, Diagnostics& diagnostics) {
  JsonFields fields(document, item, "measured operator", diagnostics);
  MeasuredOperator measured;
  measured.framework = framework;
  measured.inherent = framework == kOwnFramework;  // opledger's kernels compute in float32
  measured.op = fields.RequiredString("operator");
  if (const JsonValue* name = item.Find("operator")) measured.location = document.At(name->span);
  const std::string parameter = fields.String("parameter");
  if (!parameter.empty()) measured.kind = parameter + "=" + fields.String("value");
  fields.Require("dtype");
  measured.dtype =
      ParseDtype(fields.Choice("dtype", {"float16", "bfloat16"})).value_or(Dtype::kFloat16);
  const JsonValue* computed = fields.Take("computed");
  if (computed == nullptr) {
    measured.refusal = fields.String("refusal", "the kernel refuses the type");
    return measured;
  }
  JsonFields inner(document, *computed, "measurement", diagnostics);
  inner.Require("policy");
  measured.policy = ParsePolicy(inner.Choice("policy", {"target", "fp32", "widest", "either"}))
                        .value_or(Policy::kEither);
  measured.step = inner.String("step");
  measured.reason = inner.String("reason");
  ReadDomains(document, inner, diagnostics, measured);
  if (const JsonValue* stepwise = fields.Take("stepwise")) {
    JsonFields steps(document, *stepwise, "measurement", diagnostics);
    if (steps.String("step") == "range") measured.if_every_step_rounds = steps.String("reason");
  }
  return measured;
}

std::optional<Evidence> ReadCharacterization(const JsonDocument& document,
                                             Diagnostics& diagnostics) {
  JsonFields fields(document, document.root, "evidence", diagnostics);
  if (!fields.Schema("opledger-evidence", 1)) return std::nullopt;
  Evidence evidence;
  const std::string framework = fields.RequiredString("framework");
  for (const JsonValue& item : fields.Objects("operators")) {
    evidence.operators.push_back(ReadMeasured(document, item, framework, diagnostics));
  }
  return evidence;
}

}  // namespace

std::optional<Evidence> ReadEvidence(const Source& source, const std::string& path, Reach reach,
                                     Diagnostics& diagnostics) {
  Diagnostics found;
  std::optional<Evidence> evidence;
  if (path.ends_with(".csv")) {
    evidence = ReadMeasurementsCsv(source, path, reach, found);
  } else if (const auto document = ReadJson(source, path, reach, found)) {
    evidence = IsOfMeasurements(*document) ? ReadMeasurementsJson(*document, found)
                                           : ReadCharacterization(*document, found);
  }
  for (const Diagnostic& each : found.all()) diagnostics.Add(each);
  if (found.incomplete()) diagnostics.MarkIncomplete();
  if (found.has_errors()) return std::nullopt;
  return evidence;
}

}  // namespace opledger
