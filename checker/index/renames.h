// Finds operators that a change renamed: a removed one and an added one at the same place.
//   before: add, old_scale, relu in a.cc; after: add, scale, relu in a.cc -> old_scale is scale now
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "checker/index/index.h"

namespace opledger {

// Maps operators of `after` to the operators of `before` that they were. Both are between the same
// other operators of a file (or of a file of the same name, if it moved). Either the new one has
// the old name as an alias, or the same macro registers both and they have similar names or the
// same facts.
std::map<const Operator*, const Operator*> FindRenames(const CheckIndex& before,
                                                       const CheckIndex& after);

}  // namespace opledger
