// If a kernel has several kinds, the first one, its default, is compared with the list.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/evidence/agreement.h"

#include <algorithm>
#include <map>
#include <set>

#include "kernels/evidence/operator_names.h"

namespace opledger {
namespace {

Policy Free(Policy policy) { return policy == Policy::kWidest ? Policy::kEither : policy; }

}  // namespace

Agreement Agree(const std::vector<OperatorEvidence>& all, const PrecisionList& list) {
  Agreement agreement;
  std::set<std::string_view> seen;
  std::map<Policy, std::size_t> counts;
  for (const OperatorEvidence& evidence : all) {
    if (evidence.dtype != list.target_dtype || !evidence.measurement.refusal.empty()) continue;
    if (!seen.insert(evidence.probe->kernel).second) continue;
    const auto listed = PolicyInList(list, evidence.probe->kernel);
    if (!listed || listed->policy == Policy::kConditional) continue;
    ++agreement.named;
    agreement.listed.push_back({evidence.probe->kernel, listed->op, listed->policy});
    agreement.commonest = std::max(agreement.commonest, ++counts[Free(listed->policy)]);
    const bool same = Free(listed->policy) == Free(evidence.computed.policy);
    agreement.computed += same ? 1 : 0;
    agreement.stepwise += Free(listed->policy) == Free(evidence.stepwise.policy) ? 1 : 0;
    if (!same) agreement.differences.push_back({&evidence, listed->op, listed->policy});
  }
  return agreement;
}

}  // namespace opledger
