// Conv with channels last where each channel is a group: sums rows of channels instead of
// multiplying matrices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cpu/window/window.h"
#include "kernels/kernel/kernel.h"

namespace opledger {

// `window` and `result` must be those of `call`.
Prepared PrepareDepthwise(const Call& call, const Window& window, const TensorType& result);

}  // namespace opledger
