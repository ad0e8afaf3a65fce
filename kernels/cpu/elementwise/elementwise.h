// Fused calls by any kernel that serves the plain ones: the truth for those that do it faster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernel/fused_call.h"

namespace opledger {

// `plain` prepares the call without what is fused to it, in float32. The channels are dimension
// `channel` of the result.
Prepared PrepareFused(const Call& call, Prepare plain, std::size_t channel);

}  // namespace opledger
