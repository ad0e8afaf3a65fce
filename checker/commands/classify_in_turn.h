// opledger classify --interactive: one operator without a policy after the other, with what speaks
// for each policy; every answer is written at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/project/check_options.h"

namespace opledger {

// `ops`: these only; none: all that have no policy in some list. Gives the exit status.
int ClassifyInTurn(const GlobalOptions& global, const std::string& operators,
                   const std::vector<std::string>& ops);

}  // namespace opledger
