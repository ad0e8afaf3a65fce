// Stores equal constants only once: plans for several shapes have the same weights and pack them
// alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace opledger {

// Returns a live block with the same contents if there is one, otherwise `bytes`. The result must
// not be written.
std::shared_ptr<std::byte> SharedBytes(std::shared_ptr<std::byte> bytes, std::size_t size);

}  // namespace opledger
