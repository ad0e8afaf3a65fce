// Where programs keep what makes their next run faster: a folder for each of them in one, so that a
// program in the sandbox sees no other's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

struct CacheFolder {
  std::string path;           // empty: there is none
  const char* variable = "";  // of the environment, that said so
};

// The folder of all: $OPLEDGER_CACHE_DIR, else $XDG_CACHE_HOME/opledger, else
// $HOME/.cache/opledger.
CacheFolder FindCacheFolder();

// The folders in it.
inline constexpr const char* kScanCache = "scan";        // facts, by opledger-scan
inline constexpr const char* kGitCache = "git";          // listings of revisions, by opledger
inline constexpr const char* kKernelsCache = "kernels";  // what is faster here, by opledger-run

// The path of one of these; empty where there is no cache. It may have to be made.
std::string CacheFolderOf(const char* program);

}  // namespace opledger
