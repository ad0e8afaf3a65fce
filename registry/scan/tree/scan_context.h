// Determines the project file, dialect and root of a scan.
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
  Dialect dialect;                 // with the project file's changes
  std::vector<std::string> files;  // absolute: the dialect's file and the project file, if any
};

struct ScanContextRequest {
  std::vector<std::string> paths;  // as typed
  std::string dialect;             // --dialect; may be empty
  std::string project_file;        // --config: a path, "none", or empty to search for one
  std::string default_dialect;     // if neither names one; empty: detect it from the sources
};

// Returns the names of the dialects to scan one after the other, if the project file has several
// and the request names none; otherwise empty.
std::vector<std::string> DialectsToScan(const Source& here, const ScanContextRequest& request);

// Finds project file, dialect and root. The root is the folder of the project file; without one,
// the nearest parent folder, within the repository, that has a root marker of the dialect or whose
// sources contain the first path; otherwise the repository; otherwise the root of `here`, or a
// path's own folder for paths outside it. `here`: the folder that paths are relative to.
std::optional<ScanContext> FindScanContext(const Source& here, const ScanContextRequest& request,
                                           Diagnostics& diagnostics);

}  // namespace opledger::scan
