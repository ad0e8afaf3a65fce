// Where a file is, or would be: its folder, held open, and its name there. What other processes do
// to the path afterwards changes neither.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "registry/files/open_file.h"

namespace opledger {

struct FilePlace {
  Descriptor folder{-1};
  std::string path;  // of the folder, as the links led there; for messages and reading only
  std::string name;  // in the folder; no link when it was looked at
};

// Follows the links of `path`. `root`: the folder that the place must lie in, else EXDEV; folders
// of the path that are missing there are made. Empty: anywhere. None, with errno set.
std::optional<FilePlace> FindFilePlace(const std::string& root, const std::string& path);

// What is at the place, without following a link. None, with errno set.
std::optional<struct stat> ExaminePlace(const FilePlace& place);

// Whether both are the same name in the same folder.
bool IsSamePlace(const FilePlace& a, const FilePlace& b);

// Writes the folder's entries to the disk. False with errno set.
bool SyncFolder(const FilePlace& place);

}  // namespace opledger
