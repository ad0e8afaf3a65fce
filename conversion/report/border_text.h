// --io-types low, for the summary: lists inputs and outputs that are rounded, and why others are
// not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/place/place.h"

namespace opledger {

// "  --io-types low: input x and output y take float16\n", and a line per reason to keep others.
std::string BorderText(const Graph& graph, const Plan& plan, const std::string& target);

}  // namespace opledger
