// Unpacks trees of each kind.
// SPDX-License-Identifier: Apache-2.0
#include "registry/source/unpack_tree.h"

#include "registry/source/disk_tree.h"
#include "registry/source/git_tree.h"
#include "registry/source/overlay_tree.h"

namespace opledger {

std::shared_ptr<const FileTree> UnpackTree(ByteReader& in) {
  const std::uint64_t kind = in.Number();
  if (!in.ok()) return nullptr;
  switch (static_cast<PackedTree>(kind)) {
    case PackedTree::kDisk:
      return std::make_shared<DiskTree>();
    case PackedTree::kOverlay:
      return OverlayTree::Unpack(in);
    case PackedTree::kGit:
      return GitTree::Unpack(in);
  }
  return nullptr;
}

}  // namespace opledger
