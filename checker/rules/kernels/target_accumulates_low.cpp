// target-accumulates-low: a list requires 16 bits for an operator whose kernels accumulate in 16
// bits.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "checker/rules/entry_findings.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kTargetAccumulatesLowPage[] =
    R"(A list gives an operator the policy 'target', and every kernel that takes the
list's 16-bit type is declared to accumulate in that type as well.

Why: a sum in 16 bits loses a term as soon as it is 2048 times larger than it
(256 times in bfloat16), so that the error grows with the size of the matrix.
The speed of the product does not make up for that.

Example:
  registered: dot
  kernels: dot (cpu: float16, float32, adds up in float16)
  list: {"framework": "demo", "target_dtype": "float16",
         "target": ["dot"]}
  finding: 'dot' is 'target' in list 'float16', but all its kernels that take float16 accumulate in it

What to do: accumulate in float32 and round once, at the end; or make the policy
fp32 with the reason "numeric".
)";

void CheckTargetAccumulatesLow(const CheckIndex& index, std::vector<Finding>& findings) {
  ForEachListedOperator(index, [&](const ListIndex& list, const EntryUse& use) {
    const Dtype dtype = list.list->target_dtype;
    const std::string& device = list.list->device;
    if (use.entry->policy != Policy::kTarget) return;
    const auto kernels = KernelsTaking(*use.op, device, dtype, list.Known());
    const bool low = std::all_of(kernels.begin(), kernels.end(), [&](const Kernel* kernel) {
      return AccumulatesIn(*kernel, dtype);
    });
    if (kernels.empty() || !low) return;
    Finding& finding =
        AddAtEntry(list, use,
                   "'" + use.op->name + "' is 'target' in list '" + list.label +
                       "', but all its kernels" + (device.empty() ? "" : " for " + device) +
                       " that take " + DtypeName(dtype) + " accumulate in it",
                   findings);
    RelateKernel(*kernels.front(), "one of them is registered here", finding);
  });
}

}  // namespace

extern const Rule kTargetAccumulatesLow = {
    "target-accumulates-low",
    Severity::kError,
    "a list requires a 16-bit type in which kernels also accumulate",
    kTargetAccumulatesLowPage,
    CheckTargetAccumulatesLow,
    {"kernels"}};

}  // namespace opledger
