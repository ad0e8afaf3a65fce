// gradient-pair-split: a list treats an operator and its gradient differently.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/rules.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr char kGradientPairSplitPage[] =
    R"(A list names an operator and not its gradient, or the gradient and not the
operator, or gives them different policies.

Why: training runs both. If only one of them is cast, every step pays casts at
the boundary, and values that fit in one of them overflow in the other.

Example:
  registered: Tanh, TanhGrad
  gradients: Grad
  list: {"framework": "demo", "target_dtype": "bfloat16",
         "widest": ["TanhGrad"]}
  finding: list 'bfloat16' has 'TanhGrad' as 'widest' but not 'Tanh'

What to do: give both the same policy, or leave both out.
)";

std::string PolicyOf(const EntryUse& use) {
  return std::string("'") + PolicyName(use.entry->policy) + "'";
}

void ComparePair(const CheckIndex& index, const ListIndex& list, const Operator& function,
                 const Operator& gradient, std::vector<Finding>& findings) {
  if (!list.Exists(function) || !list.Exists(gradient)) return;
  const EntryUse* of_function = list.Find(function.name);
  const EntryUse* of_gradient = list.Find(gradient.name);
  if (of_function == nullptr && of_gradient == nullptr) return;
  const bool both = of_function != nullptr && of_gradient != nullptr;
  if (both && of_function->entry->policy == of_gradient->entry->policy) return;
  const Operator& listed = of_function != nullptr ? function : gradient;
  const Operator& other = of_function != nullptr ? gradient : function;
  if (!both && !index.NeedsEntry(other, list)) return;
  const EntryUse& use = of_function != nullptr ? *of_function : *of_gradient;
  Finding& finding = findings.emplace_back();
  finding.op = listed.name;
  finding.list = list.label;
  finding.location = use.entry->location;
  finding.message = "list '" + list.label + "' has '" + listed.name + "' as " + PolicyOf(use) +
                    (both ? " and '" + other.name + "' as " + PolicyOf(*of_gradient)
                          : " but not '" + other.name + "'");
  if (both) {
    finding.related.push_back(
        {of_gradient->entry->location, "'" + other.name + "' is listed here"});
  } else {
    finding.related.push_back(
        {other.sites.front().location, "'" + other.name + "' is registered here"});
  }
}

void CheckPair(const CheckIndex& index, const Operator* function, const Operator* gradient,
               std::vector<Finding>& findings) {
  if (function == nullptr || gradient == nullptr) return;
  if (!function->exempt.empty() || !gradient->exempt.empty()) return;
  for (const ListIndex& list : index.lists()) {
    ComparePair(index, list, *function, *gradient, findings);
  }
}

// Returns the function by the gradient's name: that of the same version, otherwise that without
// one.
const Operator* FunctionByName(const CheckIndex& index, const Operator& gradient) {
  const Relations& relations = index.manifest().relations;
  const std::string_view stem = FunctionOfGradient(gradient.name, relations);
  if (stem.empty()) return nullptr;
  const std::size_t suffix = stem.size() + relations.gradient.size();
  const Operator* function = index.Primary(std::string(stem) + gradient.name.substr(suffix));
  return function == nullptr || function == &gradient ? index.Primary(stem) : function;
}

void CheckGradientPairSplit(const CheckIndex& index, std::vector<Finding>& findings) {
  const Relations& relations = index.manifest().relations;
  for (const auto& [function, gradients] : relations.gradients) {
    for (const std::string_view gradient : SplitAt(gradients, ',')) {
      CheckPair(index, index.Primary(function), index.Primary(Trimmed(gradient)), findings);
    }
  }
  if (relations.gradient.empty()) return;
  for (const Operator& gradient : index.manifest().operators) {
    const Operator* function = FunctionByName(index, gradient);
    const bool said = function != nullptr && relations.gradients.contains(function->name);
    if (!said) CheckPair(index, function, &gradient, findings);
  }
}

}  // namespace

extern const Rule kGradientPairSplit = {"gradient-pair-split", Severity::kWarning,
                                        "a list treats an operator and its gradient differently",
                                        kGradientPairSplitPage, CheckGradientPairSplit};

}  // namespace opledger
