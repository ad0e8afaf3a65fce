// A scan of changed units only: the rest of the manifest is taken from the snapshot.
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

// Exactly the manifest that a whole scan would give; none where only a whole scan can tell: other
// files see a change, or a changed unit holds something that is no plain registration.
std::optional<Manifest> Rescan(const RescanContext& context, const Snapshot& snapshot,
                               const Changes& changes, ScanTiming& timing);

}  // namespace opledger::scan
