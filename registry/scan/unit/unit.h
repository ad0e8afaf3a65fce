// Scans one translation unit. In: the index and the unit's bytes. Out: its facts. A plan says which
// passes of the preprocessor see every registration. Names that are not constants are evaluated.
// Facts are cached.
// May include: registry/condition, registry/dialect, registry/files, registry/platform,
// registry/scan/cache, registry/scan/facts, registry/scan/flow, registry/scan/ledger,
// registry/scan/lex, registry/scan/macros, registry/scan/match, registry/scan/outline,
// registry/scan/preprocess, registry/scan/tokens, registry/scan/tree, registry/scan/workers,
// registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/scan/facts/facts.h"
#include "registry/scan/unit/guarded_defaults.h"
#include "registry/scan/unit/name_evaluation.h"
#include "registry/scan/unit/unit_plan.h"
#include "registry/scan/workers/workers.h"

namespace opledger::scan {

struct UnitScanner {
  const SourceTree& tree;
  const MacroIndex& index;
  const Dialect& dialect;
  bool exhaustive = false;
  EvaluationLimits limits = {};  // for evaluating names that are not constants
  mutable GuardedDefaults defaults{tree, index};

  // Reads the unit's file and everything it needs. Reports what cannot be read in
  // Facts::incomplete. A file that changed since its outline was made fails the task (workers.h).
  Facts Scan(int unit) const;
};

// Returns the limits of workers that scan units, with what they may read.
PoolLimits LimitsOfUnits(const SourceTree& tree, PoolLimits limits);

}  // namespace opledger::scan
