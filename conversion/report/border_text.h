// --io-types low, for the summary: which inputs and outputs are rounded, and which are not and why.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/place/place.h"

namespace opledger {

// "  --io-types low: input x and output y take float16\n", and a line for each reason to keep one.
std::string BorderText(const Graph& graph, const Plan& plan, const std::string& target);

}  // namespace opledger
