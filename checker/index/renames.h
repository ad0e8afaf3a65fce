// Operators that a change renamed: one that went and one that came at the same place of
// registration.
//   before: add, old_scale, relu in a.cc; after: add, scale, relu in a.cc -> old_scale is scale now
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "checker/index/index.h"

namespace opledger {

// By the operator of `after`, the operator of `before` that it was. The two are registered by the
// same macro in the same file (or one of the same name, where that file is gone), between the same
// other operators, and have similar names or the same facts, or the new one has the old name as an
// alias.
std::map<const Operator*, const Operator*> FindRenames(const CheckIndex& before,
                                                       const CheckIndex& after);

}  // namespace opledger
