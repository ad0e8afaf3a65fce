// What a folder held: enough to know, without listing it again, that no file came or went.
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
  std::string path;  // as SourceTree has paths; "" is the root
  FileStamp stamp;   // zero where the folder does not exist, or must be listed every time
  Digest listing;    // of the names in it and what they are; hidden and backup files left out
};

// Whether the state says nothing of a file of this name: editors make and remove such files.
bool IsIgnoredName(std::string_view name);

// None: it could not be looked at.
std::optional<DirectoryState> StateOf(const SourceTree& tree, std::string path);

enum class DirectoryStatus { kUnchanged, kListed, kChanged };

// Whether the folder holds what it held when `state` was taken, at `taken` (nanoseconds); kListed:
// it does, but had to be listed to know, and its stamp in `state` is brought up to date. kChanged:
// it does not, or that cannot be told.
DirectoryStatus Revalidate(const SourceTree& tree, std::int64_t taken, DirectoryState& state);

}  // namespace opledger::scan
