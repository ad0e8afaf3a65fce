// One sentence's worth per kind of clue.
// SPDX-License-Identifier: Apache-2.0
#include "checker/candidates/support_text.h"

namespace opledger {
namespace {

constexpr std::size_t kMostExamples = 3;

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

// "operators ..." of a clue that is the operator's own.
std::string Sharers(const Clue& clue) {
  const std::string quoted = "'" + clue.value + "'";
  switch (clue.kind) {
    case ClueKind::kWord:
      return "with " + quoted + " in their names";
    case ClueKind::kInputs:
      return Inputs(clue.value);
    case ClueKind::kInputName:
      return "with an input " + quoted;
    case ClueKind::kAttribute:
      return "with an attribute " + quoted;
    case ClueKind::kTypeInference:
      return "with type inference " + clue.value;
    case ClueKind::kGradient:
      return clue.value == "none" ? "without a gradient" : "with the gradient " + clue.value;
    case ClueKind::kMutates:
      return "that change inputs in place";
    case ClueKind::kMacro:
      return "registered by " + clue.value;
    case ClueKind::kFile:
      return "registered in " + clue.value;
    case ClueKind::kDtypes:
      return Dtypes(clue.value);
    default:
      return "of the list";
  }
}

// " ('a', 'b', ...)": those of the policy.
std::string Examples(const ClueTerm& term, Policy policy, const ClassifiedList& list) {
  std::string names;
  std::size_t count = 0;
  for (const Likeness& each : term.alike) {
    const ClassifiedOperator& other = list.operators()[each.index];
    if (other.policy != policy) continue;
    if (++count > kMostExamples) return " (" + names + ", ...)";
    names += (names.empty() ? "'" : ", '") + other.op->name + "'";
  }
  return names.empty() ? names : " (" + names + ")";
}

}  // namespace

std::string SupportText(const ClueTerm& term, Policy policy, const Support& support,
                        const ClassifiedList& list) {
  const std::string share = std::to_string(support.agreeing) + " of ";
  const std::string of = std::to_string(support.of);
  if (term.clue.kind == ClueKind::kAlike) {
    return share + "the " + of + " operators most like it" + Examples(term, policy, list);
  }
  if (term.clue.kind == ClueKind::kSibling) {
    return "elsewhere, " + share + of + " operators with such a nearest sibling" +
           Examples(term, policy, list);
  }
  return (support.elsewhere ? "elsewhere, " : "") + share + of + " operators " + Sharers(term.clue);
}

}  // namespace opledger
