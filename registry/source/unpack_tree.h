// Unpacks what FileTree::Pack() wrote.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "registry/source/source.h"

namespace opledger {

enum class PackedTree : std::uint8_t { kDisk, kOverlay, kGit };

// Returns nullptr if the bytes are not a tree.
std::shared_ptr<const FileTree> UnpackTree(ByteReader& in);

}  // namespace opledger
