// Finds defines under which a condition is true.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "registry/condition/condition.h"
#include "registry/condition/diagram.h"

namespace opledger {

// See Condition::Satisfy.
std::optional<Defines> SatisfyFunction(ConditionFunction f, const Defines& base);

}  // namespace opledger
