// unrecognized-registration: something in the sources looks like a registration, but the dialect
// does not read it.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr int kMany = 10;  // names that make a registry, rather than a similar helper

constexpr char kUnrecognizedRegistrationPage[] =
    R"(Something in the sources is given names as registrations are (a macro or an object
outside of functions, a decorator, a key of YAML), its own name suggests that it
registers something, and it leads to no sink of the dialect.

Why: the names may be operators that no list knows.

Example:
  registered: relu
  unrecognized: macro REGISTER_LAYER (12: Abs, Elu, Gelu)
  list: {"framework": "demo", "target_dtype": "float16", "widest": ["relu"]}
  finding: macro 'REGISTER_LAYER' is given 12 names (Abs, Elu, Gelu, ...) and leads to no sink of dialect 'demo'

The finding is a note below 10 names, unless another shipped dialect knows the macro.

What to do: if it registers operators, add a sink in a dialect that "extends"
this one. If not, name it under suspicious.except of the dialect with a reason,
or ignore it in opledger.json: {"rule": "unrecognized-registration",
"operator": "REGISTER_LAYER", "reason": "WHY"}.
)";

std::string Message(const UnrecognizedRegistry& registry, const std::string& dialect) {
  std::string names;
  for (const GivenName& example : registry.examples) {
    names += (names.empty() ? "" : ", ") + example.name;
  }
  if (registry.names > static_cast<int>(registry.examples.size())) names += ", ...";
  const std::string what = registry.kind + " '" + registry.name + "'";
  const std::string given =
      std::to_string(registry.names) + (registry.names == 1 ? " name (" : " names (") + names + ")";
  if (!registry.dialect.empty()) {
    return what + " registers " + given + " with another framework: dialect '" + registry.dialect +
           "' reads it, and '" + dialect + "' does not";
  }
  return what + " is given " + given + " and leads to no sink of dialect '" + dialect + "'";
}

void CheckUnrecognizedRegistration(const CheckIndex& index, std::vector<Finding>& findings) {
  const Manifest& manifest = index.manifest();
  for (const UnrecognizedRegistry& registry : manifest.unrecognized) {
    if (registry.examples.empty()) continue;
    Finding& finding = findings.emplace_back();
    finding.severity =
        registry.names >= kMany || !registry.dialect.empty() ? Severity::kWarning : Severity::kNote;
    finding.op = registry.name;
    finding.location = registry.examples.front().location;
    finding.message = Message(registry, manifest.dialect);
    for (std::size_t i = 1; i < registry.examples.size(); ++i) {
      finding.related.push_back(
          {registry.examples[i].location, "'" + registry.examples[i].name + "' is given here"});
    }
  }
}

}  // namespace

extern const Rule kUnrecognizedRegistration = {"unrecognized-registration",
                                               Severity::kWarning,
                                               "what looks like a registry is not read",
                                               kUnrecognizedRegistrationPage,
                                               CheckUnrecognizedRegistration,
                                               {},
                                               false,
                                               true};

}  // namespace opledger
