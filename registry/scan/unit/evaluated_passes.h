// Registrations whose names were evaluated, once in each pass of their unit: a name that only some
// passes come to hangs on a condition that stands elsewhere, {"a", #if X "b", #endif}.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "registry/scan/facts/facts.h"
#include "registry/scan/preprocess/patch.h"

namespace opledger::scan {

struct EvaluatedRegistration {
  std::size_t pass = 0;
  Registration registration;
};

// What a registration may hang on, and which passes are under it.
struct PassCondition {
  Condition condition;
  std::vector<bool> holds;  // by pass
};

// Adds them to `facts`, each once and under the one of `conditions` that tells the passes which
// came to it from the others. Where none does, it is reported: there may be more names.
void AddEvaluated(std::vector<EvaluatedRegistration> evaluated, const std::vector<Pass>& passes,
                  const std::vector<PassCondition>& conditions, Facts& facts);

}  // namespace opledger::scan
