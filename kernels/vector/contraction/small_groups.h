// Conv of images where channels are last and groups have few of them: too few for products of
// matrices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cpu/window/window.h"
#include "kernels/kernel/kernel.h"

namespace opledger {

// Whether this kernel runs groups of so many input and output channels.
bool AreSmallGroups(const Window& window, std::size_t groups, std::size_t inputs,
                    std::size_t outputs);

// `window` and `result` are the call's.
Prepared PrepareSmallGroups(const Call& call, const Window& window, const TensorType& result);

}  // namespace opledger
