// Outlines all files of a scan, including the headers that it finds.
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
  int outlined = 0;  // number of files that were read
};

// Adds `units` (path -> command line) and everything they include to `tree`, with outlines. Uses
// the cache if it has the file's stamp or content. Reports files that are not source text in
// `incomplete`.
OutlineCounts OutlineAll(SourceTree& tree, const std::map<std::string, CommandLine>& units,
                         const Dialect& dialect, Cache& cache, const PoolLimits& limits,
                         std::vector<Incomplete>& incomplete);

// Does the same for these files only, without what they include.
OutlineCounts OutlineThese(SourceTree& tree, const std::vector<std::string>& paths,
                           const Dialect& dialect, Cache& cache, const PoolLimits& limits,
                           std::vector<Incomplete>& incomplete);

// Loads the outlines of files whose contents are known from the cache. Returns false if one is
// missing.
bool OutlinesFromCache(SourceTree& tree, const std::vector<int>& files, const Dialect& dialect,
                       Cache& cache);

// Does the same, but reads the files that are missing. Returns the number of files that were read.
int OutlineAgain(SourceTree& tree, const std::vector<int>& files, const Dialect& dialect,
                 Cache& cache, const PoolLimits& limits);

}  // namespace opledger::scan
