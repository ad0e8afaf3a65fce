// Scans only the changed units and takes the rest of the manifest from the snapshot.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "registry/scan/scan.h"
#include "registry/scan/snapshot.h"
#include "registry/scan/workers/workers.h"

namespace opledger::scan {

class Cache;

struct RescanContext {
  const Source& source;
  const Dialect& dialect;
  const ScanOptions& options;
  const PoolLimits& limits;
  const Digest& base_key;  // of the facts (facts_cache.h)
  Cache& cache;
};

// Returns exactly the manifest that a full scan would give. Returns nullopt if a full scan is
// needed, because a change affects other files, or a changed unit has more than plain
// registrations.
std::optional<Manifest> Rescan(const RescanContext& context, const Snapshot& snapshot,
                               const Changes& changes, ScanTiming& timing);

}  // namespace opledger::scan
