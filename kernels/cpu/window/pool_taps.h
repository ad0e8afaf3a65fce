// What an average divides by.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cpu/window/window.h"

namespace opledger {

// How many taps of a position count where pads do: those behind the last pad do not.
std::size_t TapsWithPads(const Window& window, std::size_t position);

}  // namespace opledger
