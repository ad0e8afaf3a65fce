// either-without-kernel: a list lets an operator run in a 16-bit type that none of its kernels
// takes.
// SPDX-License-Identifier: Apache-2.0
#include "checker/index/operator_facts.h"
#include "checker/rules/entry_findings.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kEitherWithoutKernelPage[] =
    R"(A list gives an operator the policy 'either' or 'widest': where its inputs
have the list's 16-bit type, it runs in it. But its kernels (those for the
list's device, if it has one) all declare their types, and none takes that one.

Why: a converted model is valid but cannot run, or the framework casts to
float32 silently.

Example:
  registered: TopK
  kernels: TopK (cpu: float32)
  list: {"framework": "demo", "target_dtype": "float16",
         "either": ["TopK"]}
  finding: 'TopK' is 'either' in list 'float16', but none of its kernels takes float16 (T: float32)

What to do: make the policy fp32 with the reason "no-kernel", or add the kernel.
An operator whose registration excludes the type is not reported: no conversion
gives it such inputs.
)";

void CheckEitherWithoutKernel(const CheckIndex& index, std::vector<Finding>& findings) {
  ForEachListedOperator(index, [&](const ListIndex& list, const EntryUse& use) {
    const Dtype dtype = list.list->target_dtype;
    const std::string& device = list.list->device;
    const Policy policy = use.entry->policy;
    if (policy != Policy::kEither && policy != Policy::kWidest) return;
    if (AllowsDtype(*use.op, dtype) == Allows::kNo) return;
    if (HasKernel(*use.op, device, dtype, list.Known()) != Serves::kNo) return;
    Finding& finding = AddAtEntry(
        list, use,
        "'" + use.op->name + "' is '" + PolicyName(policy) + "' in list '" + list.label +
            "', but none of its kernels" + (device.empty() ? "" : " for " + device) + " takes " +
            DtypeName(dtype) + " (" + KernelDtypes(*use.op, device, list.Known()) + ")",
        findings);
    const Kernel* kernel = FirstKernel(*use.op, device, list.Known());
    RelateKernel(*kernel, "one of them is registered here", finding);
  });
}

}  // namespace

extern const Rule kEitherWithoutKernel = {
    "either-without-kernel",
    Severity::kError,
    "a list lets an operator run in a 16-bit type that no kernel takes",
    kEitherWithoutKernelPage,
    CheckEitherWithoutKernel,
    {"dtypes", "kernels"}};

}  // namespace opledger
