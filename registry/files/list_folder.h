// What is in a folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>

#include <functional>
#include <string>
#include <vector>

namespace opledger {

// Takes each entry but "." and "..", in the order that the system has. Returns 0, or the error
// (errno) that opening or reading the folder ended with.
int ListFolder(const std::string& folder, const std::function<void(const dirent&)>& take);

// The names, sorted. With an error those that were read before it.
struct FolderNames {
  std::vector<std::string> names;
  int error = 0;  // errno
};
FolderNames NamesIn(const std::string& folder);

}  // namespace opledger
