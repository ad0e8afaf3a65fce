// Calls whose input 0 and result have their channels as the last dimension, not as the second: they
// have the parameter "channels_last" (1).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernel/kernel.h"

namespace opledger {

bool ChannelsLast(const Call& call);

// The dimensions N, C, ... of a tensor N, ..., C; and back.
Dimensions ToChannelsFirst(const Dimensions& shape);
Dimensions ToChannelsLast(const Dimensions& shape);

// Such a call by what serves it with channels second: input 0 and result 0 are transposed.
// Other inputs are as they are, other results are not given.
Prepared ThroughChannelsFirst(const Call& call, Prepare prepare);

}  // namespace opledger
