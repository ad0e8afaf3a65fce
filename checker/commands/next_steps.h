// What `opledger` without a verb says after its help: what it sees here, and what to type next.
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

// The sources are looked at for a second at most.
std::string NextSteps(const GlobalOptions& global);

}  // namespace opledger
