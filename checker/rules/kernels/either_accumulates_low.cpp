// either-accumulates-low: a list lets an operator run in 16 bits whose kernels then accumulate in
// 16 bits.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "checker/rules/entry_findings.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kEitherAccumulatesLowPage[] =
    R"(A list gives an operator the policy 'either' or 'widest', and a kernel that
takes the list's 16-bit type is declared to accumulate in that type as well.

Why: the two policies are for operators that are as accurate in 16 bits. A sum
of many elements is not, unless its kernel accumulates in float32: the mean of 4096
equal elements comes out as half of its value.

Example:
  registered: mean
  kernels: mean (cpu: float16, float32, adds up in float16)
  list: {"framework": "demo", "target_dtype": "float16",
         "either": ["mean"]}
  finding: 'mean' is 'either' in list 'float16', but one of its kernels accumulates in float16

What to do: accumulate in float32 and round once, at the end; or make the policy
fp32 with the reason "numeric". A kernel that does not accumulate should not
declare that it does.
)";

void CheckEitherAccumulatesLow(const CheckIndex& index, std::vector<Finding>& findings) {
  ForEachListedOperator(index, [&](const ListIndex& list, const EntryUse& use) {
    const Dtype dtype = list.list->target_dtype;
    const std::string& device = list.list->device;
    const Policy policy = use.entry->policy;
    if (policy != Policy::kEither && policy != Policy::kWidest) return;
    const auto kernels = KernelsTaking(*use.op, device, dtype, list.Known());
    const auto low = std::find_if(kernels.begin(), kernels.end(), [&](const Kernel* kernel) {
      return AccumulatesIn(*kernel, dtype);
    });
    if (low == kernels.end()) return;
    Finding& finding =
        AddAtEntry(list, use,
                   "'" + use.op->name + "' is '" + PolicyName(policy) + "' in list '" + list.label +
                       "', but one of its kernels" + (device.empty() ? "" : " for " + device) +
                       " accumulates in " + DtypeName(dtype),
                   findings);
    RelateKernel(**low, "it is registered here", finding);
  });
}

}  // namespace

extern const Rule kEitherAccumulatesLow = {"either-accumulates-low",
                                           Severity::kError,
                                           "a list lets an operator accumulate in a 16-bit type",
                                           kEitherAccumulatesLowPage,
                                           CheckEitherAccumulatesLow,
                                           {"kernels"}};

}  // namespace opledger
