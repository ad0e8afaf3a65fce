// The location of a file: an open folder and a name in it. Neither changes if other processes
// change the path.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "registry/files/open_file.h"

namespace opledger {

struct FilePlace {
  Descriptor folder{-1};
  std::string path;  // the folder's path after following links; only for messages and reading
  std::string name;  // name in the folder; not a link when it was examined
};

// Finds the place of a file by following the links of `path`. `root` is the folder that must
// contain it (otherwise EXDEV); missing folders in `path` are created. If `root` is empty, the file
// may be anywhere. Returns nullopt and sets errno on failure.
std::optional<FilePlace> FindFilePlace(const std::string& root, const std::string& path);

// Returns the status of the file at the place without following links, or nullopt with errno set.
std::optional<struct stat> ExaminePlace(const FilePlace& place);

// Returns whether both are the same name in the same folder.
bool IsSamePlace(const FilePlace& a, const FilePlace& b);

// Writes the folder's entries to disk. Returns false and sets errno on failure.
bool SyncFolder(const FilePlace& place);

}  // namespace opledger
