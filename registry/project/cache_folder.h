// Finds the folder in which programs cache data for their next run. Each program has its own
// subfolder, so that a program in the sandbox cannot see the others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

struct CacheFolder {
  std::string path;           // empty: there is no cache
  const char* variable = "";  // the environment variable that determined it
};

// Returns the common folder: $OPLEDGER_CACHE_DIR, or $XDG_CACHE_HOME/opledger, or
// $HOME/.cache/opledger.
CacheFolder FindCacheFolder();

// Its subfolders.
inline constexpr const char* kScanCache = "scan";  // facts, by opledger-scan
inline constexpr const char* kGitCache = "git";    // listings of revisions, by opledger
// The fastest kernels on this machine, by opledger-run.
inline constexpr const char* kKernelsCache = "kernels";

// Returns the path of one of these, which may not exist yet, or an empty path if there is no cache.
std::string CacheFolderOf(const char* program);

}  // namespace opledger
