// Detects which shipped dialects describe a tree's registrations, and where the tree's root is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/source/source.h"

namespace opledger::scan {

// Returns whether `path` is `folder` or is below it.
bool IsPathInside(const std::filesystem::path& path, const std::filesystem::path& folder);

// Returns the nearest folder from `anchor` upward with a root marker of the dialect; otherwise the
// nearest one below which the dialect's sources contain the anchor; otherwise the root of the
// repository. Without a repository, returns the root of `here` if it contains the anchor, and the
// anchor otherwise.
std::string RootWithoutProject(const Source& here, const std::filesystem::path& anchor,
                               const Dialect& dialect);

// Returns the shipped dialects whose registrations occur in or below `folder`, or anywhere in the
// framework's tree that contains it, sorted. Dialects detected by words are only returned if there
// is no other.
std::vector<std::string> DetectDialects(const Source& folder);

struct SeenDialect {
  std::string name;
  std::size_t files = 0;  // number of files with registrations
  std::string first;      // the first such file; absolute
};

struct Glance {
  std::vector<SeenDialect> dialects;  // those that DetectDialects returns
  bool whole = true;                  // false: a limit was reached, so there may be more
};

// Like DetectDialects, for a first look at a folder that may be huge: counts files and stops at
// limits. Searches folders nearest to the root first.
Glance GlanceAt(const Source& folder);

}  // namespace opledger::scan
