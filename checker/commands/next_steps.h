// What `opledger` without a verb says after its help: what it sees here, and what to type next.
//   Here: no opledger.json; 31 files register operators (dialect mxnet), the first is
//   src/nn/relu.cc Next: opledger init                  writes opledger.json and lists to start
//   from
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checker/project/check_options.h"

namespace opledger {

// The sources are looked at for a second at most.
std::string NextSteps(const GlobalOptions& global);

}  // namespace opledger
