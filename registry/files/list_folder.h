// Lists folders.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>

#include <functional>
#include <string>
#include <vector>

namespace opledger {

// Calls `take` for each entry except "." and "..", in the system's order. Returns 0, or the errno
// with which opening or reading the folder failed.
int ListFolder(const std::string& folder, const std::function<void(const dirent&)>& take);

// The sorted names in a folder. After an error, those that were read before it.
struct FolderNames {
  std::vector<std::string> names;
  int error = 0;  // errno
};
FolderNames NamesIn(const std::string& folder);

}  // namespace opledger
