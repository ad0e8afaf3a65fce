// opledger classify --interactive: asks for the policy of one operator at a time and shows the
// evidence for each policy. Each answer is written at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/project/check_options.h"

namespace opledger {

// Asks about the operators `ops`; if it is empty, about all operators without a policy. `operators`
// is the path of a manifest; if it is empty, the sources are scanned. Returns the exit status.
int ClassifyInTurn(const GlobalOptions& global, const std::string& operators,
                   const std::vector<std::string>& ops);

}  // namespace opledger
