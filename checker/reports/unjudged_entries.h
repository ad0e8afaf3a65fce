// How many entries the rules target-without-kernel and either-without-kernel had to pass over.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/index/index.h"

namespace opledger {

// Operators for whose policy nothing says whether they run in the list's type: neither their
// registrations nor kernels.
struct UnjudgedEntries {
  int target = 0;
  int either = 0;  // and widest
};
UnjudgedEntries CountUnjudged(const CheckIndex& index);

}  // namespace opledger
