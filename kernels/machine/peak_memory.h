// Peak memory of this process, as Linux counts it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

namespace opledger {

// Resets the peak. Returns the bytes in use now; nullopt if the system does not report them.
std::optional<std::size_t> BeginPeakMemory();
// Bytes at the peak since then.
std::optional<std::size_t> PeakMemory();

}  // namespace opledger
