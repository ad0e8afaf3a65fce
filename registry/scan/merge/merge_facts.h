// Merges facts files into a manifest: the last step of a scan that was split into shards or into
// edges of a build graph. Files may come in any order and repeatedly, but none may be missing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"
#include "registry/text/diagnostics.h"

namespace opledger::scan {

struct MergeRequest {
  std::vector<std::string> files;
  int expect = 0;           // number of shards; 0: as the files say
  std::string unit_folder;  // the facts of unit PATH are in PATH.facts here; empty: unused
  std::string configuration = "union";
  Defines defines;  // -D
};

// Returns the dialect of the first readable file; "" if none is readable.
std::string DialectOfFacts(const std::vector<std::string>& files);

// Returns the same manifest as an unsplit scan. Returns nullopt and reports an error for each file
// or shard that is missing, damaged, contradicts another, or has another dialect, tool, mode or
// state of the tree. The hints say what to run again.
std::optional<Manifest> MergeFacts(const Dialect& dialect, const MergeRequest& request,
                                   Diagnostics& diagnostics);

}  // namespace opledger::scan
