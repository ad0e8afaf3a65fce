// Phrases the evidence of each kind of feature.
// SPDX-License-Identifier: Apache-2.0
#include "checker/candidates/support_text.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxExamples = 3;

std::string Inputs(const std::string& number) {
  if (number == "0") return "with no input";
  return "with " + number +
         (number == "1"   ? " input"
          : number == "3" ? " or more inputs"
                          : " inputs");
}

std::string Dtypes(const std::string& value) {
  if (value == "16-bit") return "that take a 16-bit type";
  return value == "float32" ? "that take float32 and no 16-bit type"
                            : "that take no floating point type";
}

// Returns what follows "operators ..." for a feature of the operator itself.
std::string Sharers(const Feature& feature) {
  const std::string quoted = "'" + feature.value + "'";
  switch (feature.kind) {
    case FeatureKind::kWord:
      return "with " + quoted + " in their names";
    case FeatureKind::kInputs:
      return Inputs(feature.value);
    case FeatureKind::kInputName:
      return "with an input " + quoted;
    case FeatureKind::kAttribute:
      return "with an attribute " + quoted;
    case FeatureKind::kTypeInference:
      return "with type inference " + feature.value;
    case FeatureKind::kGradient:
      return feature.value == "none" ? "without a gradient" : "with the gradient " + feature.value;
    case FeatureKind::kMutates:
      return "that change inputs in place";
    case FeatureKind::kMacro:
      return "registered by " + feature.value;
    case FeatureKind::kFile:
      return "registered in " + feature.value;
    case FeatureKind::kDtypes:
      return Dtypes(feature.value);
    default:
      return "of the list";
  }
}

// Returns " ('a', 'b', ...)", examples under this policy.
std::string Examples(const FeatureTerm& term, Policy policy, const ClassifiedList& list) {
  std::string names;
  std::size_t count = 0;
  for (const Likeness& each : term.alike) {
    const ClassifiedOperator& other = list.operators()[each.index];
    if (other.policy != policy) continue;
    if (++count > kMaxExamples) return " (" + names + ", ...)";
    names += (names.empty() ? "'" : ", '") + other.op->name + "'";
  }
  return names.empty() ? names : " (" + names + ")";
}

}  // namespace

std::string SupportText(const FeatureTerm& term, Policy policy, const Support& support,
                        const ClassifiedList& list) {
  const std::string share = std::to_string(support.agreeing) + " of ";
  const std::string of = std::to_string(support.of);
  if (term.feature.kind == FeatureKind::kAlike) {
    return share + "the " + of + " operators most like it" + Examples(term, policy, list);
  }
  if (term.feature.kind == FeatureKind::kSibling) {
    return "in shipped lists, " + share + of + " operators with a nearest sibling like this" +
           Examples(term, policy, list);
  }
  return (support.elsewhere ? "in shipped lists, " : "") + share + of + " operators " +
         Sharers(term.feature);
}

}  // namespace opledger
