// Conv where channels are last and each is a group of its own: no product of matrices, but sums of
// rows of channels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cpu/window/window.h"
#include "kernels/kernel/kernel.h"

namespace opledger {

// `window` and `result` are the call's.
Prepared PrepareDepthwise(const Call& call, const Window& window, const TensorType& result);

}  // namespace opledger
