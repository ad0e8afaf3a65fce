// Prints the measurements: a line for each operator, then the lists.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "kernels/compare/table_text.h"
#include "kernels/evidence/evidence.h"
#include "registry/text/short_number.h"

namespace opledger {
namespace {

std::string KindName(const Probe& probe) {
  const std::string name = probe.kernel;
  return probe.parameter.empty() ? name : name + " (" + probe.parameter + "=" + probe.value + ")";
}

std::string OperatorsText(const Characterization& all, Dtype dtype, bool speed) {
  std::vector<std::vector<std::string>> rows = {{"kernel", "policy", "rounding every step", "why"}};
  if (speed) rows[0].insert(rows[0].begin() + 3, {"ms", "float32 ms"});
  for (const OperatorEvidence& evidence : all.operators) {
    if (evidence.dtype != dtype) continue;
    const Measurement& measurement = evidence.measurement;
    if (!measurement.refusal.empty()) {
      rows.push_back({KindName(*evidence.probe), "none", "", Printable(measurement.refusal)});
      continue;
    }
    const bool same = evidence.stepwise.policy == evidence.computed.policy;
    rows.push_back({KindName(*evidence.probe), PolicyName(evidence.computed.policy),
                    same ? "" : PolicyName(evidence.stepwise.policy), evidence.computed.reason});
    if (!speed) continue;
    rows.back().insert(rows.back().begin() + 3,
                       {ShortNumber(measurement.milliseconds.value_or(0)),
                        ShortNumber(measurement.milliseconds_float32.value_or(0))});
  }
  return rows.size() == 1 ? "" : std::string(DtypeName(dtype)) + "\n" + TableText(rows);
}

// Lists the operators whose kinds have different policies, which call for a conditional entry.
std::string ConditionsText(const Characterization& all, Dtype dtype) {
  std::map<std::string, std::map<std::string, std::string>> kinds;  // "GridSample by mode", policy
  for (const OperatorEvidence& evidence : all.operators) {
    const Probe& probe = *evidence.probe;
    if (evidence.dtype != dtype || probe.parameter.empty()) continue;
    if (!evidence.measurement.refusal.empty()) continue;
    std::string& values = kinds[std::string(probe.kernel) + " by " + probe.parameter]
                               [PolicyName(evidence.computed.policy)];
    values += (values.empty() ? "" : ", ") + probe.value;
  }
  std::string text;
  for (const auto& [kernel, policies] : kinds) {
    if (policies.size() < 2) continue;
    text += "  conditional: " + kernel;
    for (const auto& [policy, values] : policies) {
      text +=
          std::string(policy == policies.begin()->first ? ", " : "; ") + policy + " for " + values;
    }
    text += "\n";
  }
  return text;
}

std::string DifferencesText(const Agreement& agreement) {
  std::vector<std::vector<std::string>> rows = {{"operator", "listed", "measured", "why"}};
  for (const Difference& difference : agreement.differences) {
    rows.push_back({Printable(difference.op), PolicyName(difference.listed),
                    PolicyName(difference.evidence->computed.policy),
                    difference.evidence->computed.reason});
  }
  return rows.size() == 1 ? "" : "differs from the list\n" + TableText(rows);
}

std::string AgreementsText(const Characterization& all) {
  std::vector<std::vector<std::string>> rows = {
      {"list", "operators measured", "same policy", "rounding every step", "most frequent"}};
  for (const NamedAgreement& named : all.agreements) {
    const Agreement& agreement = named.agreement;
    const auto part = [&](std::size_t same) {
      return std::to_string(same) + " (" +
             std::to_string((100 * same + agreement.named / 2) / agreement.named) + " %)";
    };
    rows.push_back({Printable(named.list), std::to_string(agreement.named),
                    part(agreement.computed), part(agreement.stepwise), part(agreement.commonest)});
  }
  return rows.size() == 1
             ? ""
             : "agreement with lists (widest and either count as one)\n" + TableText(rows);
}

// Groups kernels by reason.
std::string UnmeasuredText(const Characterization& all) {
  std::map<std::string, std::string> kernels;
  for (const auto& [kernel, reason] : all.unmeasured) {
    std::string& names = kernels[reason.empty() ? "no probe" : reason];
    names += (names.empty() ? "" : " ") + kernel;
  }
  std::vector<std::vector<std::string>> rows = {{"why", "kernels"}};
  for (const auto& [reason, names] : kernels) rows.push_back({reason, names});
  return rows.size() == 1 ? "" : "not measured\n" + TableText(rows);
}

}  // namespace

std::string CharacterizationText(const Characterization& all, const CharacterizeOptions& options) {
  std::string text;
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBfloat16}) {
    text += OperatorsText(all, dtype, options.speed) + ConditionsText(all, dtype);
  }
  if (!options.list.empty() && !all.agreements.empty()) {
    text += DifferencesText(all.agreements.front().agreement);
  }
  return text + AgreementsText(all) + UnmeasuredText(all);
}

}  // namespace opledger
