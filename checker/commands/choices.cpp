// Tables, as lists of their names.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands/choices.h"

#include "checker/shells/shells.h"
#include "registry/precision_list/policy.h"

namespace opledger {
namespace {

template <typename Table>
std::vector<std::string> NamesOf(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

}  // namespace

std::vector<std::string> ColorChoices() { return {"auto", "always", "never"}; }

std::vector<std::string> FailOnChoices() { return {"error", "warning", "note", "never"}; }

std::vector<std::string> ScanModes() { return {"fast", "exhaustive"}; }

std::vector<std::string> DiffFormats() { return {"text", "markdown"}; }

std::vector<std::string> BaselineActions() { return {"write", "prune", "show"}; }

std::vector<std::string> TargetDtypes() { return {"float16", "bfloat16"}; }

std::vector<std::string> PolicyChoices() {
  std::vector<std::string> names;
  for (const Policy policy : kPolicies) names.emplace_back(PolicyName(policy));
  return names;
}

std::vector<std::string> OutcomeChoices() {
  std::vector<std::string> names;
  for (const Policy policy : kPolicies) {
    if (policy != Policy::kConditional) names.emplace_back(PolicyName(policy));
  }
  return names;
}

std::vector<std::string> ConfigActions() { return {"show", "validate", "schema"}; }

std::vector<std::string> DoctorFormats() { return {"text", "json"}; }

std::vector<std::string> CompletionChoices() {
  std::vector<std::string> names = NamesOf(Shells());
  names.emplace_back("operators");
  return names;
}

}  // namespace opledger
