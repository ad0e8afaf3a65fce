// What both rules ask, of every entry.
// SPDX-License-Identifier: Apache-2.0
#include "checker/reports/unjudged_entries.h"

#include "checker/index/allowed_dtypes.h"
#include "checker/rules/entry_findings.h"

namespace opledger {

UnjudgedEntries CountUnjudged(const CheckIndex& index) {
  UnjudgedEntries count;
  ForEachListedOperator(index, [&](const ListIndex& list, const EntryUse& use) {
    const PrecisionList& own = *list.list;
    if (AllowsDtype(*use.op, own.target_dtype) != Allows::kUnknown) return;
    if (HasKernel(*use.op, own.device, own.target_dtype, list.defines) != Serves::kUnknown) return;
    const Policy policy = use.entry->policy;
    if (policy == Policy::kTarget) ++count.target;
    if (policy == Policy::kEither || policy == Policy::kWidest) ++count.either;
  });
  return count;
}

}  // namespace opledger
