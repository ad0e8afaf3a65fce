// Records what a folder contained, to detect added or removed files without listing it again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "registry/scan/cache/digest.h"
#include "registry/scan/tree/tree.h"
#include "registry/text/bytes.h"

namespace opledger::scan {

struct DirectoryState {
  std::string path;  // path in the tree; "" is the root
  FileStamp stamp;   // zero if the folder does not exist or must be listed every time
  Digest listing;    // digest of names and kinds of entries, without hidden and backup files
};

// Returns whether the state ignores a file of this name, because editors create and remove such
// files.
bool IsIgnoredName(std::string_view name);

// Returns nullopt if the folder could not be examined.
std::optional<DirectoryState> StateOf(const SourceTree& tree, std::string path);

enum class DirectoryStatus { kUnchanged, kListed, kChanged };

// Compares the folder with `state`, which was recorded at `taken` (nanoseconds). kListed:
// unchanged, but the folder had to be listed, and the stamp in `state` was updated. kChanged:
// changed, or unknown.
DirectoryStatus Revalidate(const SourceTree& tree, std::int64_t taken, DirectoryState& state);

}  // namespace opledger::scan
