// `opledger baseline show`: how many findings of which rules a baseline holds, and which are gone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "checker/filter/baseline.h"

namespace opledger {

// `found` is what the rules find now.
std::string BaselineSummary(const Baseline& baseline, const std::string& path,
                            const std::vector<Finding>& found);

}  // namespace opledger
