// Conv with channels last for groups with too few channels for matrix products.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cpu/window/window.h"
#include "kernels/kernel/kernel.h"

namespace opledger {

// Returns whether this kernel supports groups with that many input and output channels.
bool AreSmallGroups(const Window& window, std::size_t groups, std::size_t inputs,
                    std::size_t outputs);

// `window` and `result` must be those of `call`.
Prepared PrepareSmallGroups(const Call& call, const Window& window, const TensorType& result);

}  // namespace opledger
