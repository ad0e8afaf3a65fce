// Where a scan stands: project file, dialect and root of the source tree.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/source/source.h"
#include "registry/text/diagnostics.h"

namespace opledger::scan {

struct ScanContext {
  Source source;                   // the tree; its root is absolute, without links
  Dialect dialect;                 // with what the project file changes of it
  std::vector<std::string> files;  // absolute: of the dialect, and the project file where one is
};

struct ScanContextRequest {
  std::vector<std::string> paths;  // as typed
  std::string dialect;             // --dialect; may be empty
  std::string project_file;        // --config: a path, "none", or empty: search
  std::string default_dialect;     // where neither names one; empty: the one that fits the sources
};

// The dialects to scan one after the other: the names of those of the project file, where there are
// several and the request names none; else empty.
std::vector<std::string> DialectsToScan(const Source& here, const ScanContextRequest& request);

// The root is the project file's folder; without one, the nearest folder upwards with one of the
// dialect's root markers, or whose sources hold the first path, within the repository; else the
// repository; else the root of `here` (for paths outside it: the path's own folder). `here`: what
// paths are seen from.
std::optional<ScanContext> FindScanContext(const Source& here, const ScanContextRequest& request,
                                           Diagnostics& diagnostics);

}  // namespace opledger::scan
