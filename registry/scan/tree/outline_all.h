// The outlines of all files of a scan, the included ones found on the way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"
#include "registry/scan/cache/cache.h"
#include "registry/scan/tree/tree.h"
#include "registry/scan/workers/workers.h"

namespace opledger::scan {

struct OutlineCounts {
  int outlined = 0;  // files read anew
};

// Adds `units` (path -> its defines) and everything they include to `tree`, with outlines, from the
// cache where the file's stamp or content is known. Files that are no source text go to
// `incomplete`.
OutlineCounts OutlineAll(SourceTree& tree, const std::map<std::string, CommandLine>& units,
                         const Dialect& dialect, Cache& cache, const PoolLimits& limits,
                         std::vector<Incomplete>& incomplete);

// The same of these files alone.
OutlineCounts OutlineThese(SourceTree& tree, const std::vector<std::string>& paths,
                           const Dialect& dialect, Cache& cache, const PoolLimits& limits,
                           std::vector<Incomplete>& incomplete);

// The outlines of files whose contents are known, from the cache; false where one is missing.
bool OutlinesFromCache(SourceTree& tree, const std::vector<int>& files, const Dialect& dialect,
                       Cache& cache);

// The same, reading what is missing; gives how many files that were.
int OutlineAgain(SourceTree& tree, const std::vector<int>& files, const Dialect& dialect,
                 Cache& cache, const PoolLimits& limits);

}  // namespace opledger::scan
