// Calls whose input 0 and result have their channels in the last dimension instead of the second,
// marked by the parameter "channels_last" (1).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernel/kernel.h"

namespace opledger {

bool ChannelsLast(const Call& call);

// Return the dimensions N, C, ... of a tensor with dimensions N, ..., C, and the reverse.
Dimensions ToChannelsFirst(const Dimensions& shape);
Dimensions ToChannelsLast(const Dimensions& shape);

// Serves such a call with a kernel for channels second: transposes input 0 and result 0. Other
// inputs are passed unchanged; other results are not supported.
Prepared ThroughChannelsFirst(const Call& call, Prepare prepare);

}  // namespace opledger
