// Facts files -> manifest: the end of a scan that was spread over shards or over edges of a build.
// Any order, any file twice; never from less than all.
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
  int expect = 0;           // number of shards; 0: what the files say
  std::string unit_folder;  // where the facts of unit PATH are PATH.facts; empty: nowhere
  std::string configuration = "union";
  Defines defines;  // -D
};

// The name of the dialect that the first readable file is of; empty: none is readable.
std::string DialectOfFacts(const std::vector<std::string>& files);

// The manifest that a scan in one piece would give. None, with a diagnostic for each file or shard
// that is missing, damaged, contradicts another or is of another dialect, tool, mode or state of
// the tree, and with what has to be run again.
std::optional<Manifest> MergeFacts(const Dialect& dialect, const MergeRequest& request,
                                   Diagnostics& diagnostics);

}  // namespace opledger::scan
