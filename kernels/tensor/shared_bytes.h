// Constants that are the same, held once: plans for several shapes have the same weights, and pack
// them alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace opledger {

// `bytes`, or others of the same contents that somebody holds. Nobody writes to them any more.
std::shared_ptr<std::byte> SharedBytes(std::shared_ptr<std::byte> bytes, std::size_t size);

}  // namespace opledger
