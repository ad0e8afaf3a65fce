// target-without-kernel: a list requires 16 bits for an operator whose registration excludes them,
// or whose kernels for the list's device do not take them.
// SPDX-License-Identifier: Apache-2.0
#include "checker/index/operator_facts.h"
#include "checker/rules/entry_findings.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kTargetWithoutKernelPage[] =
    R"(A list gives an operator the policy 'target', but its registration allows
float32 inputs and not the list's 16-bit type, or its kernels (those for the
list's device, if it has one) all declare their types, and none takes that one.

Why: a converted model fails when it is loaded, or the framework leaves the
operator in float32 despite the list, with useless casts around it.

Example:
  registered: GRUBlockCell
  dtypes: GRUBlockCell (float32)
  list: {"framework": "demo", "target_dtype": "float16",
         "target": ["GRUBlockCell"]}
  finding: 'GRUBlockCell' is 'target' in list 'float16', but its inputs take no float16 (float32)

What to do: make the policy fp32 with the reason "no-kernel", or add the kernel.
)";

void CheckTargetWithoutKernel(const CheckIndex& index, std::vector<Finding>& findings) {
  ForEachListedOperator(index, [&](const ListIndex& list, const EntryUse& use) {
    const Dtype dtype = list.list->target_dtype;
    const std::string& device = list.list->device;
    if (use.entry->policy != Policy::kTarget) return;
    const bool refused = AllowsDtype(*use.op, dtype) == Allows::kNo;
    if (!refused && HasKernel(*use.op, device, dtype, list.Known()) != Serves::kNo) return;
    const std::string opening =
        "'" + use.op->name + "' is 'target' in list '" + list.label + "', but ";
    if (!refused) {
      Finding& finding = AddAtEntry(
          list, use,
          opening + "none of its kernels" + (device.empty() ? "" : " for " + device) + " takes " +
              DtypeName(dtype) + " (" + KernelDtypes(*use.op, device, list.Known()) + ")",
          findings);
      const Kernel* kernel = FirstKernel(*use.op, device, list.Known());
      RelateKernel(*kernel, "one of them is registered here", finding);
      return;
    }
    Finding& finding = AddAtEntry(
        list, use,
        opening + "its inputs take no " + DtypeName(dtype) + " (" + AllowedDtypes(*use.op) + ")",
        findings);
    if (use.op->sites.empty()) return;
    finding.related.push_back(
        {use.op->sites.front().location, "'" + use.op->name + "' is registered here"});
  });
}

}  // namespace

extern const Rule kTargetWithoutKernel = {
    "target-without-kernel",
    Severity::kWarning,
    "a list requires a 16-bit type that an operator does not take",
    kTargetWithoutKernelPage,
    CheckTargetWithoutKernel,
    {"dtypes", "kernels"}};

}  // namespace opledger
