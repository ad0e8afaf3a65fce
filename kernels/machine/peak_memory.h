// The most memory that this process has had, as Linux counts it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

namespace opledger {

// Counts anew; bytes that it has now. None: the system does not say.
std::optional<std::size_t> BeginPeakMemory();
// The most since then.
std::optional<std::size_t> PeakMemory();

}  // namespace opledger
