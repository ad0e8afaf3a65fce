// Formats numbers with three significant digits.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/short_number.h"

#include <cmath>
#include <cstdio>

namespace opledger {

std::string ShortNumber(double value) {
  if (!std::isfinite(value)) return "infinite";
  char text[32];
  std::snprintf(text, sizeof text, value >= 1e5 ? "%.2e" : "%.3g", value);
  return text;
}

std::string PercentText(double share) { return ShortNumber(share * 100) + " %"; }

}  // namespace opledger
