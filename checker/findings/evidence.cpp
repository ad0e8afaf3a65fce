// Reading evidence: of what stands there, only what rules look at.
// SPDX-License-Identifier: Apache-2.0
#include "checker/findings/evidence.h"

#include <algorithm>

#include "registry/json/json_fields.h"

namespace opledger {
namespace {

// The number; null: one that is not finite.
double ErrorIn(const JsonValue& value) {
  return value.kind == JsonValue::Kind::kNull ? 1e300 : value.number;
}

// Domains of one operator: the worst of them.
void ReadDomains(const JsonDocument& document, JsonFields& fields, Diagnostics& diagnostics,
                 MeasuredOperator& measured) {
  measured.exact = true;
  for (const JsonValue& item : fields.Objects("domains")) {
    JsonFields domain(document, item, "domain", diagnostics);
    measured.exact = domain.Boolean("exact", false) && measured.exact;
    if (const JsonValue* ulp = domain.Take("ulp")) {
      measured.ulp = std::max(measured.ulp, ErrorIn(*ulp));
    }
  }
}

std::optional<MeasuredOperator> ReadMeasured(const JsonDocument& document, const JsonValue& item,
                                             Diagnostics& diagnostics) {
  JsonFields fields(document, item, "measured operator", diagnostics);
  MeasuredOperator measured;
  measured.op = fields.RequiredString("operator");
  if (const JsonValue* name = item.Find("operator")) measured.location = document.At(name->span);
  const std::string parameter = fields.String("parameter");
  if (!parameter.empty()) measured.kind = parameter + "=" + fields.String("value");
  fields.Require("dtype");
  measured.dtype =
      ParseDtype(fields.Choice("dtype", {"float16", "bfloat16"})).value_or(Dtype::kFloat16);
  const JsonValue* computed = fields.Take("computed");
  if (computed == nullptr) return std::nullopt;  // the kernel refuses the type
  JsonFields inner(document, *computed, "measurement", diagnostics);
  inner.Require("policy");
  measured.policy = ParsePolicy(inner.Choice("policy", {"target", "fp32", "widest", "either"}))
                        .value_or(Policy::kEither);
  measured.step = inner.String("step");
  measured.reason = inner.String("reason");
  ReadDomains(document, inner, diagnostics, measured);
  return measured;
}

}  // namespace

std::vector<const MeasuredOperator*> Evidence::Of(const std::string& op, Dtype dtype) const {
  std::vector<const MeasuredOperator*> found;
  for (const MeasuredOperator& measured : operators) {
    if (measured.op == op && measured.dtype == dtype) found.push_back(&measured);
  }
  return found;
}

std::optional<Evidence> ReadEvidence(const Source& source, const std::string& path, Reach reach,
                                     Diagnostics& diagnostics) {
  const auto document = ReadJson(source, path, reach, diagnostics);
  if (!document) return std::nullopt;
  Diagnostics found;
  JsonFields fields(*document, document->root, "evidence", found);
  if (!fields.Schema("opledger-evidence", 1)) {
    for (const Diagnostic& each : found.all()) diagnostics.Add(each);
    return std::nullopt;
  }
  Evidence evidence;
  evidence.framework = fields.RequiredString("framework");
  for (const JsonValue& item : fields.Objects("operators")) {
    auto measured = ReadMeasured(*document, item, found);
    if (measured) evidence.operators.push_back(std::move(*measured));
  }
  for (const Diagnostic& each : found.all()) diagnostics.Add(each);
  if (found.has_errors()) return std::nullopt;
  return evidence;
}

}  // namespace opledger
