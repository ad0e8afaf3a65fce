// Lists folders with opendir, because std::filesystem fails if a signal interrupts it.
// SPDX-License-Identifier: Apache-2.0
#include "registry/files/list_folder.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

namespace opledger {
namespace {

DIR* OpenToList(const std::string& folder) {
  for (;;) {
    DIR* const open = opendir(folder.c_str());
    if (open != nullptr || errno != EINTR) return open;
  }
}

}  // namespace

int ListFolder(const std::string& folder, const std::function<void(const dirent&)>& take) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(OpenToList(folder), &closedir);
  if (open == nullptr) return errno;
  errno = 0;
  while (const dirent* entry = readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") take(*entry);
    errno = 0;
  }
  return errno;
}

FolderNames NamesIn(const std::string& folder) {
  FolderNames found;
  found.error =
      ListFolder(folder, [&](const dirent& entry) { found.names.emplace_back(entry.d_name); });
  std::sort(found.names.begin(), found.names.end());
  return found;
}

}  // namespace opledger
