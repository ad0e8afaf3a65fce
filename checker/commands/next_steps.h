// What `opledger` without a verb prints after its help: what is in this folder, and what to run
// next.
//
//   Here: opledger.json, dialect mxnet, 2 lists
//
//   Next: opledger check                  finds where the sources and the lists disagree
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checker/project/check_options.h"

namespace opledger {

// Looks at the sources for at most one second.
std::string NextSteps(const GlobalOptions& global);

}  // namespace opledger
