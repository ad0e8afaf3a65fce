// fixed-autocast-type: an autocast rule casts to one 16-bit type, whatever type autocast uses.
// SPDX-License-Identifier: Apache-2.0
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kFixedAutocastTypePage[] =
    R"(The sources register an autocast rule that casts an operator's inputs to one 16-bit
type, and this list is for the other one.

Why: such a rule ignores the type that autocast uses. Under autocast to bfloat16, an
operator with a rule for float16 receives float16: values outside of its range
become infinite, and the result mixes types.

Example:
  registered: scan
  policy: scan (target, float16)
  list: {"framework": "demo", "target_dtype": "bfloat16",
         "derived_from": [{"registrations": "policy"}]}
  finding: 'scan' is cast to float16 even if autocast uses bfloat16

What to do: register a kernel for the autocast key that casts to the type of the
context (torch.get_autocast_dtype(device)) and calls the operator with autocast
disabled. If the operator is never run in this type, ignore the rule for it.
)";

void CheckFixedAutocastType(const CheckIndex& index, std::vector<Finding>& findings) {
  for (const ListIndex& list : index.lists()) {
    for (const FixedCast& cast : list.list->other_type) {
      const Operator* const op = index.Resolve(cast.op);
      if (op == nullptr || !list.Exists(*op)) continue;
      if (list.known && !cast.condition.MayHoldIn(*list.known, cast.location.path)) continue;
      Finding& finding = findings.emplace_back();
      finding.op = op->name;
      finding.list = list.label;
      finding.location = cast.location;
      finding.message = "'" + op->name + "' is cast to " + cast.dtype + " even if autocast uses " +
                        DtypeName(list.list->target_dtype);
    }
  }
}

}  // namespace

extern const Rule kFixedAutocastType = {
    "fixed-autocast-type", Severity::kWarning,
    "an autocast rule casts to one 16-bit type, whatever type autocast uses",
    kFixedAutocastTypePage, CheckFixedAutocastType};

}  // namespace opledger
