// Formats measured numbers for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

// Returns three significant digits: "0.00123", "1.7e+04", or "infinite".
std::string ShortNumber(double value);

// Returns a share as a percentage: 0.368 becomes "36.8 %".
std::string PercentText(double share);

}  // namespace opledger
