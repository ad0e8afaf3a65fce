// One translation unit: plan, passes, facts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/scan/facts/facts.h"
#include "registry/scan/unit/name_evaluation.h"
#include "registry/scan/unit/unit_plan.h"

namespace opledger::scan {

struct UnitScanner {
  const SourceTree& tree;
  const MacroIndex& index;
  const Dialect& dialect;
  bool exhaustive = false;
  EvaluationLimits limits = {};  // for names that are no constants

  // Reads the unit's file and everything it needs. What cannot be read is in Facts::incomplete; a
  // file that changed since its outline was made gives the task up (worker_pool.h).
  Facts Scan(int unit) const;
};

}  // namespace opledger::scan
