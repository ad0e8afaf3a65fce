// capable-kept-fp32: an operator that takes the 16-bit type stays in float32 without a reason.
// SPDX-License-Identifier: Apache-2.0
#include "checker/index/operator_facts.h"
#include "checker/rules/entry_findings.h"
#include "checker/rules/rules.h"

namespace opledger {
namespace {

constexpr char kCapableKeptFp32Page[] =
    R"(A list keeps an operator in float32, gives no reason, and its registration
allows the list's 16-bit type. The operator's kernels (those for the list's
device, if it has one) must include one for that type.

Why: either the operator is inaccurate in 16 bits, which the entry should say,
or the entry is older than the kernel, and costs casts and memory.

Example:
  registered: TopK
  dtypes: TopK (float16, float32)
  list: {"framework": "demo", "target_dtype": "float16",
         "fp32": ["TopK"]}
  finding: 'TopK' is 'fp32' in list 'float16' without a reason, though its inputs take float16

What to do: add "reason": "numeric" (or "loss", "structure") to the entry, or
give it another policy.
)";

// Describes why the operator can run in the list's type, or returns "" if that is not known.
std::string Capability(const Operator& op, const ListIndex& list) {
  const Dtype dtype = list.list->target_dtype;
  const std::string& device = list.list->device;
  const Allows allows = AllowsDtype(op, dtype);
  const Serves serves = HasKernel(op, device, dtype, list.Known());
  if (allows == Allows::kNo || allows == Allows::kSome || serves == Serves::kNo) return {};
  if (serves == Serves::kYes) {
    return "it has a kernel" + (device.empty() ? "" : " for " + device) + " that takes " +
           DtypeName(dtype);
  }
  if (allows == Allows::kUnknown) return {};
  return std::string("its inputs take ") + DtypeName(dtype);
}

void CheckCapableKeptFp32(const CheckIndex& index, std::vector<Finding>& findings) {
  ForEachListedOperator(index, [&](const ListIndex& list, const EntryUse& use) {
    if (use.entry->policy != Policy::kFp32) return;
    if (!use.entry->reason.empty() || !use.entry->note.empty()) return;
    const std::string capability = Capability(*use.op, list);
    if (capability.empty()) return;
    AddAtEntry(list, use,
               "'" + use.op->name + "' is 'fp32' in list '" + list.label +
                   "' without a reason, though " + capability,
               findings);
  });
}

}  // namespace

extern const Rule kCapableKeptFp32 = {"capable-kept-fp32",
                                      Severity::kNote,
                                      "an operator that takes the 16-bit type stays in float32 "
                                      "without a reason",
                                      kCapableKeptFp32Page,
                                      CheckCapableKeptFp32,
                                      {"dtypes", "kernels"}};

}  // namespace opledger
