// no-kernel-outdated: an operator stays in float32 for lack of a kernel that now exists.
// SPDX-License-Identifier: Apache-2.0
#include "checker/index/operator_facts.h"
#include "checker/rules/entry_findings.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kNoKernelOutdatedPage[] =
    R"(A list keeps an operator in float32 with the reason "no-kernel", and a kernel
(for the list's device, if it has one) takes the 16-bit type. An operator some
of whose float inputs may not have that type is not reported.

Why: the entry was right when it was written. Now it costs casts and memory for
nothing, or hides a better reason.

Example:
  registered: Sort
  kernels: Sort (cpu: float16, float32)
  list: {"framework": "demo", "target_dtype": "float16",
         "fp32": [{"op": "Sort", "reason": "no-kernel"}]}
  finding: 'Sort' is 'fp32' in list 'float16' for lack of a kernel, but has one that takes float16

What to do: give the operator the policy that its arithmetic needs, or give the
entry another reason: "numeric", "loss", "structure".
)";

void CheckNoKernelOutdated(const CheckIndex& index, std::vector<Finding>& findings) {
  ForEachListedOperator(index, [&](const ListIndex& list, const EntryUse& use) {
    const Dtype dtype = list.list->target_dtype;
    const std::string& device = list.list->device;
    if (use.entry->policy != Policy::kFp32 || use.entry->reason != "no-kernel") return;
    const Allows allows = AllowsDtype(*use.op, dtype);
    if (allows == Allows::kNo || allows == Allows::kSome) return;
    const auto kernels = KernelsTaking(*use.op, device, dtype, list.Known());
    if (kernels.empty()) return;
    Finding& finding =
        AddAtEntry(list, use,
                   "'" + use.op->name + "' is 'fp32' in list '" + list.label +
                       "' for lack of a kernel, but has one" +
                       (device.empty() ? "" : " for " + device) + " that takes " + DtypeName(dtype),
                   findings);
    RelateKernel(*kernels.front(), "it is registered here", finding);
  });
}

}  // namespace

extern const Rule kNoKernelOutdated = {
    "no-kernel-outdated",
    Severity::kNote,
    "an operator stays in float32 for lack of a kernel that now exists",
    kNoKernelOutdatedPage,
    CheckNoKernelOutdated,
    {"dtypes", "kernels"}};

}  // namespace opledger
