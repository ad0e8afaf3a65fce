// Numbers of measurements as people read them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

// Three digits: "0.00123", "1.7e+04"; "infinite".
std::string ShortNumber(double value);

// A share of 0.368 as "36.8 %".
std::string PercentText(double share);

}  // namespace opledger
