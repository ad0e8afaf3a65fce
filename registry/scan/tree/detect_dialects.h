// Which shipped dialects describe what a tree registers, and where the root of a tree is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/source/source.h"

namespace opledger::scan {

// Whether `path` is `folder` or lies below it.
bool IsPathInside(const std::filesystem::path& path, const std::filesystem::path& folder);

// The folder upwards from `anchor` that has a root marker of the dialect, else the one below which
// its sources hold the anchor, else the repository's.
std::string RootWithoutProject(const Source& here, const std::filesystem::path& anchor,
                               const Dialect& dialect);

// The shipped dialects of which registrations occur in or below `folder`, or anywhere in a
// framework's own tree that it lies in; those recognised by words only if there is no other.
// Sorted.
std::vector<std::string> DetectDialects(const Source& folder);

struct SeenDialect {
  std::string name;
  std::size_t files = 0;  // that hold registrations
  std::string first;      // of them; absolute
};

struct Glance {
  std::vector<SeenDialect> dialects;  // those that DetectDialects would give
  bool whole = true;                  // false: it ended at a limit, so there may be more
};

// The same for a first look at a folder that may be huge: it counts, and ends at limits, the
// folders nearest to the root first.
Glance GlanceAt(const Source& folder);

}  // namespace opledger::scan
